// SPDX-License-Identifier: Apache-2.0
/// \file
/// What one tile reads, found by listing its elements.
#pragma once

#include <optional>

#include "tessera/tile/tile.h"

namespace tessera::detail {

/// The elements that a map without runtime variables reads at all of its points: exactly, if they are evenly
/// spaced and independent in each dimension, else the smallest box with them. Empty if there are more than
/// 2^20 points, or if a point has no value.
std::optional<SymbolicTile> listed_tile(const IndexMap& map, const Domain& parameters);

}  // namespace tessera::detail
