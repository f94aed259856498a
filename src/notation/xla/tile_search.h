// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the shortest tile lists that put digits in a given memory order.
#pragma once

#include <span>
#include <vector>

#include "notation/xla/tile_steps.h"

namespace tessera::detail {

/// Every list with the fewest tiles; empty if the search takes more than kNotationLimits.xla.tile_steps
/// steps. Complete for tiles that move a whole digit (perhaps padded), cut it where the next digit begins,
/// pad with a coordinate that is always 0 (each at most once), and combine exactly the given runs.
/// Deterministic.
std::vector<TiledLayout> shortest_tiles(const AllocatedDigits& target, std::span<const CombinedRun> runs,
                                        std::span<const Index> box);

}  // namespace tessera::detail
