// SPDX-License-Identifier: Apache-2.0
/// \file
/// Laws for layouts of every notation, checked at every index. Each returns an empty text, or what is wrong.
/// Shapes must be small.
#pragma once

#include <random>
#include <string>

#include "tessera/notation/layout.h"

namespace tessera::laws {

/// The offset by the notation's definition, without digits, bases or prepared programs.
Index defined_offset(const Layout& layout, std::span<const Index> index);

/// offset(x), lower(x) and the definition agree; the canonical text parses back to the same value; the buffer
/// holds every offset.
std::string check_one_function(const Layout& layout);
/// The digits are the function, and the ones that follow from its values; if there are none, the reason is
/// true of the values.
std::string check_digits(const Layout& layout);
/// Every conversion that succeeds is the same function; every refusal is true of the values.
std::string check_conversions(const Layout& layout);
/// Every index is found at its offset, and what is found has that offset.
std::string check_preimages(const Layout& layout);
/// same_map agrees with enumeration, with the smallest index; also without the dimensions of extent 1.
std::string check_equality(const Layout& a, const Layout& b);
/// collision is right about two indices that share an offset; it may be undecided without digits.
std::string check_collision(const Layout& layout);

/// A layout of any notation, of at most 600 indices.
Layout random_layout(std::mt19937_64& random);
/// A layout of the same shape that differs at few indices or at none.
Layout disturbed(const Layout& layout, std::mt19937_64& random);

}  // namespace tessera::laws
