// SPDX-License-Identifier: Apache-2.0
/// \file
/// Merges dimensions that continue each other on both sides of a copy.
#pragma once

#include <optional>
#include <utility>

#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Rewrites both layouts with fewer dimensions: merges two dimensions if the strides of one continue those of
/// the other on both sides (for swizzles: in the layout inside). The copy does not change; a merged index is
/// row-major. A swizzle whose blocks cross rows then needs a table over one dimension only. Empty if no
/// dimensions can be merged. O(rank^2).
std::optional<std::pair<Layout, Layout>> with_joined_dims(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
