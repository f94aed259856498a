// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layouts that a search for a fix starts from and ends with.
#pragma once

#include <optional>
#include <span>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// The layout with a swizzle of its offsets. Empty if it has no form as a CuTe composition.
std::optional<Layout> with_swizzle(const Swizzle& swizzle, const Layout& layout);
/// The layout without its outermost swizzle, or the layout itself if it has none.
Layout without_swizzle(const Layout& layout);
/// The layout as a strided layout, which can be padded.
std::optional<StridedLayout> plain_layout(const Layout& layout);
/// The layout with its offset bits mapped to `images`. Empty if it is not linear over F2.
std::optional<Layout> linear_layout(const Layout& layout, std::span<const Index> images);

}  // namespace tessera::detail
