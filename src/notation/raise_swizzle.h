// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions without digits as a swizzle in front of a layout.
#pragma once

#include <optional>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// A layout of powers of two that is XOR of its bits, as a swizzle in front of a layout without a crop.
std::optional<Layout> swizzled(const Layout& from);

/// Largest box that swizzled_digits looks at.
inline constexpr Index kSwizzleLimit = Index{1} << 16;

/// Any function on a box of at most kSwizzleLimit indices as one swizzle in front of a layout, cropped or
/// not. Complete for swizzles of the bits that the offsets use; the first in the order of Sw<B,M,S>, |S|
/// before
/// -|S|. O(swizzles * indices), and far less where they are no digits.
std::optional<Layout> swizzled_digits(const Layout& from);

}  // namespace tessera::detail
