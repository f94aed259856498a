// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiles seen as moves of digits: what stands in memory order before a tile, and where the tile cuts it.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/tiled_layout.h"

namespace tessera::detail {

/// The `dim` of a coordinate that is always 0 and stands in front of all dimensions, for a tile with an entry
/// more than there are coordinates.
inline constexpr Index kSpacer = -1;
/// The `dim` of a run: neighbours that a tile combines.
inline constexpr Index kRunOfPlaces = -2;
/// The `dim` of a coordinate that is always 0, wherever it comes from: a dimension of extent 1, an entry in
/// front, or what an earlier tile left behind.
inline constexpr Index kLoose = -3;

/// A coordinate in memory order: floor(x[dim] / div) mod ext with `alloc` >= ext positions up to the next
/// coarser place. ext 1 is a coordinate that is always 0, there for its positions. A run has its number as
/// div, and the product of its members' positions as ext unless it crosses, then ext == alloc.
struct Place {
  Index dim = 0;
  Index div = 1;
  Index ext = 1;
  Index alloc = 1;
  friend auto operator<=>(const Place&, const Place&) = default;
};
using Places = std::vector<Place>;  // most major first

/// Neighbours in memory order that a tile with `*` makes one coordinate. It `crosses` when its bound is
/// smaller than the product of theirs: that leaves a coordinate behind that is always 0 and has two
/// positions; it must stand in front of everything.
struct Run {
  Places members;
  bool crosses = false;
};

/// How a tile cuts a coordinate: by its entry (1: not at all), and which of the two parts are places after
/// it; the others are always 0. Members of a run have the entry kCombine and no parts but the last, whose
/// entry cuts the run.
struct Cut {
  Index entry = 1;
  bool outer = true;
  bool inner = false;
};

/// One tile: the places before it, and how each is cut.
struct TileStep {
  Places before;
  std::vector<Cut> cuts;
};

/// Dimensions as they are, each one coordinate without padding.
bool is_plain(const Places& places, std::span<const Index> box);

/// Where dimensions of extent 1 stand that no place needs: in the order of the dimensions, if the others are,
/// or in front, where no tile needs entries for them. Joined: in front, and whatever is always 0 within a
/// tile joins its neighbour by `*`. Every tile leaves such a coordinate behind for each one that it moves or
/// keeps; with entries of their own they double.
enum class Units : std::uint8_t { sorted, in_front, joined };

/// The text of a chain of tiles, first applied first. Requires steps that lead from one to the next, and
/// plain places to start from (those of `start`, where there is no step).
TiledLayout write_tiles(std::span<const TileStep> steps, const Places& start, std::span<const Index> box,
                        Units units);

/// A tile list that always exists: cuts the lowest digits off until each coordinate is one digit, sorts the
/// digits into the order of `target`, then combines the runs, those inside others first.
TiledLayout separate_and_reorder(const Places& target, std::span<const Run> runs, std::span<const Index> box);

}  // namespace tessera::detail
