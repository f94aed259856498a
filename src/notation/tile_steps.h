// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiles as moves of digits: the memory order before a tile, and where the tile splits it.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/tiled_layout.h"

namespace tessera::detail {

/// The `dim` of a coordinate that is always 0 and comes before all dimensions, for a tile with one entry more
/// than there are coordinates.
inline constexpr Index kSpacer = -1;
/// The `dim` of a run: neighbors that a tile combines.
inline constexpr Index kRunOfPlaces = -2;
/// The `dim` of a coordinate that is always 0, whatever its origin: a dimension of extent 1, a leading entry,
/// or what an earlier tile left behind.
inline constexpr Index kLoose = -3;

/// A coordinate in memory order: floor(x[dim] / div) mod ext with `alloc` >= ext positions up to the next
/// coarser one. With ext 1 it is always 0, and only its positions count. A run has its number as div, and the
/// product of its members' positions as ext unless it crosses; then ext == alloc.
struct Place {
  Index dim = 0;
  Index div = 1;
  Index ext = 1;
  Index alloc = 1;
  friend auto operator<=>(const Place&, const Place&) = default;
};
using Places = std::vector<Place>;  // most major first

/// Neighbors in memory order that a tile with `*` makes one coordinate. It `crosses` if its bound is smaller
/// than the product of theirs: that leaves a coordinate behind that is always 0 and has two positions, and it
/// must come first.
struct Run {
  Places members;
  bool crosses = false;
};

/// How a tile splits a coordinate: by its entry (1: not at all), and which of the two parts are positions
/// after it; the others are always 0. Members of a run have the entry kCombine and no parts except the last,
/// whose entry splits the run.
struct Cut {
  Index entry = 1;
  bool outer = true;
  bool inner = false;
};

/// One tile: the positions before it, and how each is split.
struct TileStep {
  Places before;
  std::vector<Cut> cuts;
};

/// Dimensions as they are, each one coordinate without padding.
bool is_plain(const Places& places, std::span<const Index> box);

/// Where dimensions of extent 1 go that no position needs: in the order of the dimensions, if the others are,
/// or first, where no tile needs entries for them. Joined: first, and whatever is always 0 within a tile
/// joins its neighbor by `*`. Every tile leaves such a coordinate behind for each one that it moves or keeps;
/// with entries of their own they double.
enum class Units : std::uint8_t { sorted, in_front, joined };

/// The text of a chain of tiles, first applied first. Requires consecutive steps, and plain positions to
/// start from (those of `start`, if there is no step).
TiledLayout write_tiles(std::span<const TileStep> steps, const Places& start, std::span<const Index> box,
                        Units units);

/// A tile list that always exists: splits the lowest digits off until each coordinate is one digit, sorts the
/// digits into the order of `target`, then combines the runs, inner runs first.
TiledLayout separate_and_reorder(const Places& target, std::span<const Run> runs, std::span<const Index> box);

}  // namespace tessera::detail
