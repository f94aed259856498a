// SPDX-License-Identifier: Apache-2.0
/// \file
/// Neighbouring dimensions that are one on both sides of a copy.
#pragma once

#include <optional>
#include <utility>

#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Both layouts as functions of fewer indices: an outer dimension whose steps continue those of the inner one
/// on both sides (rows of one stretch of memory, also in front of swizzles) is one dimension with it,
/// row-major. What a swizzle repeats need be no part of one row then. Nothing where no dimensions can be
/// joined.
std::optional<std::pair<Layout, Layout>> with_joined_dims(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
