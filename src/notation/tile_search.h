// SPDX-License-Identifier: Apache-2.0
/// \file
/// The shortest chain of tiles that puts digits in a given memory order.
#pragma once

#include <span>
#include <vector>

#include "notation/tile_steps.h"

namespace tessera::detail {

/// Every list with the fewest tiles, or nothing when the search takes more than kMaxTileSteps places looked
/// at. Complete for lists whose tiles move a digit whole (perhaps padded), cut it where the next digit
/// begins, pad with a dimension of extent 1 or an entry in front of all dimensions, and combine exactly the
/// runs given. Deterministic.
std::vector<TiledLayout> shortest_tiles(const Places& target, std::span<const Run> runs,
                                        std::span<const Index> box);

inline constexpr int kMaxTileSteps = 20'000;

}  // namespace tessera::detail
