// SPDX-License-Identifier: Apache-2.0
/// \file
/// What must hold for layouts of every notation, by looking at every index. Each law gives an empty text, or
/// what broke it. Boxes must be small.
#pragma once

#include <random>
#include <string>

#include "tessera/notation/layout.h"

namespace tessera::laws {

/// The offset by the notation's definition, without digits, bases or prepared programs.
Index defined_offset(const Layout& layout, std::span<const Index> index);

/// offset(x), lower(x) and the definition agree; the canonical text reads back as the same value; the buffer
/// holds every offset.
std::string check_one_function(const Layout& layout);
/// The normal form is the function, and is the one that all values together give; without one the reason is
/// the one the values give.
std::string check_digits(const Layout& layout);
/// Every conversion that succeeds is the same function; every refusal is true of the values.
std::string check_conversions(const Layout& layout);
/// Every index is found at its offset, and what is found lies there.
std::string check_preimages(const Layout& layout);
/// same_map tells what enumeration tells, with the smallest index; also without the dimensions of extent 1.
std::string check_equality(const Layout& a, const Layout& b);
/// Two indices share an offset, or none do, as collision says; it may leave open what has no digits.
std::string check_collision(const Layout& layout);

/// A layout of any notation, of at most 600 indices.
Layout random_layout(std::mt19937_64& random);
/// A layout on the same box that differs in few indices or in none.
Layout disturbed(const Layout& layout, std::mt19937_64& random);

}  // namespace tessera::laws
