// SPDX-License-Identifier: Apache-2.0
/// \file
/// Laws for layouts of every notation, checked at every index. Each returns an empty text, or what is wrong.
/// Shapes must be small.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tessera/notation/blocked_layout.h"
#include "tessera/notation/layout.h"

namespace tessera::laws {

/// The offset by the notation's definition, without digits, bases or prepared programs.
Index defined_offset(const Layout& layout, std::span<const Index> index);

/// The offset by oneDNN's definition of a blocked memory descriptor: the position inside each block is taken
/// off the index, from the last block to the first, then the outer dimensions follow.
Index blocked_offset(const BlockedLayout& layout, std::vector<Index> index);

/// offset(x), lower(x) and the definition agree; the canonical text parses back to the same value; the buffer
/// holds every offset.
std::string check_one_function(const Layout& layout);
/// The digits give the function and are those that its values determine; if there are none, the reason holds
/// for the values.
std::string check_digits(const Layout& layout);
/// Every successful conversion is the same function; the reason of every refusal holds for the values.
std::string check_conversions(const Layout& layout);
/// Every index is found at its offset, and every index found there has that offset.
std::string check_preimages(const Layout& layout);
/// same_map() agrees with enumeration, including the smallest index that differs, with and without dimensions
/// of extent 1.
std::string check_equality(const Layout& a, const Layout& b);
/// collision() finds two indices that share an offset exactly if there are any; without digits it may be
/// undecided.
std::string check_collision(const Layout& layout);

/// A layout of any notation, of at most 600 indices.
Layout random_layout(std::mt19937_64& random);
/// A layout of the same shape that differs at few indices or at none.
Layout disturbed(const Layout& layout, std::mt19937_64& random);

}  // namespace tessera::laws
