// SPDX-License-Identifier: Apache-2.0
/// \file
/// Laws for layouts of every notation, checked at every index. Each returns the problem, or an empty text if
/// there is none. Shapes must be small.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tessera/notation/blocked_layout.h"
#include "tessera/notation/layout.h"

namespace tessera::laws {

/// The offset according to the notation's definition, without digits, bases or precomputed programs.
Index defined_offset(const Layout& layout, std::span<const Index> index);

/// The offset according to oneDNN's definition of a blocked memory descriptor. From the last block to the
/// first, splits the position inside the block off the index; then adds the outer dimensions.
Index blocked_offset(const BlockedLayout& layout, std::vector<Index> index);

/// offset(x), lower(x) and the definition agree. The canonical text parses back to the same value. The buffer
/// contains every offset.
std::string check_one_function(const Layout& layout);
/// The digits give the layout's function and are those that its values determine. If there are no digits, the
/// stated reason holds for the values.
std::string check_digits(const Layout& layout);
/// Every successful conversion gives the same function. If a conversion fails, the stated reason holds for
/// the values.
std::string check_conversions(const Layout& layout);
/// Every index is found at its offset, and every index found there has that offset.
std::string check_preimages(const Layout& layout);
/// same_map() agrees with enumeration, including the smallest index that differs, with and without dimensions
/// of extent 1.
std::string check_equality(const Layout& a, const Layout& b);
/// collision() finds two indices that share an offset iff there are any. Without digits it may be undecided.
std::string check_collision(const Layout& layout);

/// A layout of any notation with at most 600 indices.
Layout random_layout(std::mt19937_64& random);
/// A layout of the same shape that differs at a few indices or at none.
Layout disturbed(const Layout& layout, std::mt19937_64& random);

}  // namespace tessera::laws
