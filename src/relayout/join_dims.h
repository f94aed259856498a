// SPDX-License-Identifier: Apache-2.0
/// \file
/// Dimensions that are one on both sides of a copy.
#pragma once

#include <optional>
#include <utility>

#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Both layouts as functions of fewer indices: a dimension whose steps continue those of another one on both
/// sides (rows of one stretch of memory, also in front of swizzles) is one dimension with it. What a swizzle
/// repeats need be no part of one row then. The same elements go to the same places; of neighbours, the new
/// index is row-major. Nothing where no dimensions can be joined. O(rank^2).
std::optional<std::pair<Layout, Layout>> with_joined_dims(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
