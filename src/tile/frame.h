// SPDX-License-Identifier: Apache-2.0
/// \file
/// A map with the tile of its start array: what each variable of the map does in the tile.
#pragma once

#include <span>
#include <vector>

#include "expr/view.h"
#include "tessera/tile/symbolic_tile.h"

namespace tessera::detail {

/// The values of a variable of the map in one tile: offset + stride * j, 0 <= j < size.
struct Block {
  Expr offset = {};  ///< of the parameters; a runtime variable is its parameter
  Expr size = {};    ///< 1 for a runtime variable
  Index stride = 1;
  Index extent = 1;    ///< values 0 .. extent - 1; the largest size
  bool tiled = false;  ///< of a tile; otherwise the size is constant
  bool runtime = false;
  bool aligned = true;   ///< the offset is a multiple of the size
  bool cut = false;      ///< the map is not defined for all values below the extent
  bool bounded = false;  ///< the start tile has an upper end of its own
};

/// The map, simplified, with its blocks. Range variables that are swept whole begin at 0.
struct Frame {
  Domain parameters;
  IndexMap map;
  std::vector<Block> blocks = {};                ///< for each variable of the map
  std::vector<Interval> box = {};                ///< for each variable of the map
  std::vector<std::optional<Expr>> uppers = {};  ///< for each dimension that has its own
  bool uniform = false;
  std::vector<bool> varies = {};    ///< for each result as given: it is not written as a constant of the tile
  std::vector<unsigned> uses = {};  ///< terms of results that mention the variable

  /// A map expression at the first index of the tile.
  Expr at_offset(Expr e) const;
  /// Simplified over the parameters.
  Expr simple(Expr e) const { return simplify_over_parameters(e); }
  /// `size mod size` conditions: the tiles of these variables end where the array ends.
  TileConstraint whole_tiles(std::span<const Index> variables) const;
  /// All these variables have one value in the tile.
  TileConstraint single(std::span<const Index> variables) const;
  /// None of these variables belongs to a tile: they have the same values in each.
  bool all_whole(std::span<const Index> variables) const;
  Interval parameter_range(Expr e) const;

 private:
  Expr simplify_over_parameters(Expr e) const;
};

/// The smallest and the largest value of an expression in the tile, as expressions of the parameters; empty
/// if there is none. A superset: parts of the expression are taken for independent.
struct Hull {
  Expr low;
  Expr high;
};
std::optional<Hull> hull(const Frame& frame, const ExprView& view);
std::optional<Hull> hull(const Frame& frame, const DigitTerm& term);

Result<Frame> make_frame(const IndexMap& map, const StartTile& start);

}  // namespace tessera::detail
