// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts functions without digits to a swizzle of a layout.
#pragma once

#include <optional>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// A layout with power-of-two extents that is linear over F2, as a swizzle of an uncropped layout.
std::optional<Layout> swizzled(const Layout& from);

/// Any function on a box of at most kNotationLimits.cute.swizzled indices as a single swizzle of a layout,
/// cropped or not. Tries all swizzles of the bits that the offsets use, in the order of Sw<B,M,S> with |S|
/// before -|S|, and takes the first that works. O(swizzles * indices), and far less if the result has no
/// digits.
std::optional<Layout> swizzled_digits(const Layout& from);

}  // namespace tessera::detail
