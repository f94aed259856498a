// SPDX-License-Identifier: Apache-2.0
/// \file
/// Dimensions that are one on both sides of a copy.
#pragma once

#include <optional>
#include <utility>

#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Both layouts as functions of fewer indices: joins a dimension to another one that it continues on both
/// sides (rows of one stretch of memory, also inside swizzles). Blocks of a swizzle then need not be part of
/// one row. The copy is the same; the index of joined dimensions is row-major. Nothing if no dimensions can
/// be joined. O(rank^2).
std::optional<std::pair<Layout, Layout>> with_joined_dims(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
