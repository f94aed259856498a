// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions without digits as a swizzle before a layout.
#pragma once

#include <optional>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// A layout of powers of two that is the XOR of its bits, as a swizzle before an uncropped layout.
std::optional<Layout> swizzled(const Layout& from);

/// The largest box that swizzled_digits enumerates.
inline constexpr Index kSwizzleLimit = Index{1} << 16;

/// Any function on a box of at most kSwizzleLimit indices as one swizzle before a layout, cropped or not.
/// Complete for swizzles of the bits that the offsets use; finds the first in the order of Sw<B,M,S>, |S|
/// before -|S|.
/// O(swizzles * indices), and far less if the result has no digits.
std::optional<Layout> swizzled_digits(const Layout& from);

}  // namespace tessera::detail
