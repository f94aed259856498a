// SPDX-License-Identifier: Apache-2.0
/// \file
/// Describes tiles as moves of digits: the memory order before a tile, and where the tile cuts it.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// The `dim` of a leading coordinate that is always 0, for a tile with one more entry than there are
/// coordinates.
inline constexpr Index kSpacer = -1;
/// The `dim` of a run: adjacent coordinates that a tile combines.
inline constexpr Index kRunOfPlaces = -2;
/// The `dim` of a coordinate that is always 0: a dimension of extent 1, a leading entry, or the remaining
/// unit of an earlier tile.
inline constexpr Index kLoose = -3;

/// A coordinate in memory order: floor(x[dim] / div) mod ext, with `alloc` >= ext allocated positions. A
/// coordinate with ext 1 is always 0, so it only adds allocated positions. For a run, div is its number, and
/// ext is the product of its members' positions, or alloc if the run crosses.
struct AllocatedDigit {
  Index dim = 0;
  Index div = 1;
  Index ext = 1;
  Index alloc = 1;
  friend auto operator<=>(const AllocatedDigit&, const AllocatedDigit&) = default;
};
using AllocatedDigits = std::vector<AllocatedDigit>;  // most major first

/// Adjacent coordinates that a tile with `*` combines into one. The run `crosses` if its bound is smaller
/// than the product of its members' bounds. Then a coordinate with two positions that is always 0 remains,
/// which must come first.
struct CombinedRun {
  AllocatedDigits members;
  bool crosses = false;
};

/// How a tile cuts a coordinate: by its entry (1: not at all). `outer` and `inner` say which of the two parts
/// remain; a part that does not remain is always 0. Members of a run have the entry kCombine and no parts,
/// except the last, whose entry cuts the run.
struct CoordinateCut {
  Index entry = 1;
  bool outer = true;
  bool inner = false;
};

/// One tile: the coordinates before it, and how each is cut.
struct TileStep {
  AllocatedDigits before;
  std::vector<CoordinateCut> cuts;
};

/// Whether the coordinates are the dimensions, each whole and without padding.
bool is_plain(const AllocatedDigits& places, std::span<const Index> box);

/// Where unneeded dimensions of extent 1 go. sorted: in the order of the dimensions, if the others are in
/// order. in_front: first, so that no tile needs entries for them. joined: first, and `*` combines a
/// coordinate that is always 0 within a tile with the next coordinate. Every tile adds such coordinates; with
/// entries of their own, their number would double with each tile.
enum class Units : std::uint8_t { sorted, in_front, joined };

/// The layout of a list of tiles, in the order in which they are applied. Each step must lead to the next,
/// and the first must start from plain coordinates (those of `start` if there are no steps).
TiledLayout write_tiles(std::span<const TileStep> steps, const AllocatedDigits& start,
                        std::span<const Index> box, Units units);

/// A tile list that always exists: cuts off the lowest digits until each coordinate is one digit, sorts the
/// digits into the order of `target`, then combines the runs, inner ones first.
TiledLayout separate_and_reorder(const AllocatedDigits& target, std::span<const CombinedRun> runs,
                                 std::span<const Index> box);

}  // namespace tessera::detail
