// SPDX-License-Identifier: Apache-2.0
/// \file
/// A map together with a tile of its start array: what each variable of the map does in the tile.
#pragma once

#include <span>
#include <vector>

#include "expr/questions/view.h"
#include "tessera/tile/tile.h"

namespace tessera::detail {

/// The values of a variable of the map in one tile: offset + stride * j, 0 <= j < size.
struct VariableBlock {
  Expr offset = {};  ///< in terms of the parameters; a runtime variable is itself a parameter
  Expr size = {};    ///< 1 for a runtime variable
  Index stride = 1;
  Index extent = 1;    ///< values 0 .. extent - 1; the largest size
  bool tiled = false;  ///< belongs to a tile; otherwise the size is constant
  bool runtime = false;
  bool aligned = true;   ///< the offset is a multiple of the size
  bool cut = false;      ///< the map is not defined for all values below the extent
  bool bounded = false;  ///< the start tile has an upper end of its own
};

/// The simplified map with its blocks. Range variables whose whole interval is swept begin at 0.
struct Frame {
  Domain parameters;
  IndexMap map;
  std::vector<VariableBlock> blocks = {};        ///< for each variable of the map
  std::vector<Interval> box = {};                ///< for each variable of the map
  std::vector<std::optional<Expr>> uppers = {};  ///< for each dimension that has an upper end of its own
  bool uniform = false;
  std::vector<bool> varies = {};    ///< for each result of the given map: it may vary in the tile
  std::vector<unsigned> uses = {};  ///< number of terms of results that contain the variable

  /// A map expression, evaluated at the first index of the tile.
  Expr at_offset(Expr e) const;
  /// The expression, simplified over the parameters.
  Expr simple(Expr e) const { return simplify_over_parameters(e); }
  /// The conditions `extent mod size = 0`: the tiles of these variables end where the array ends.
  TileConstraint whole_tiles(std::span<const Index> variables) const;
  /// The condition that each of these variables has only one value in the tile.
  TileConstraint single(std::span<const Index> variables) const;
  /// True if none of these variables belongs to a tile, so that they have the same values in every tile.
  bool all_whole(std::span<const Index> variables) const;
  Interval parameter_range(Expr e) const;

 private:
  Expr simplify_over_parameters(Expr e) const;
};

/// The smallest and the largest value of an expression in the tile, as expressions of the parameters. Empty
/// if there is none. The hull is a superset, because parts of the expression are assumed to be independent.
struct Hull {
  Expr low;
  Expr high;
};
std::optional<Hull> hull(const Frame& frame, const ExprView& view);
std::optional<Hull> hull(const Frame& frame, const DigitTerm& term);

/// The map at the indices that the tile can contain: none below 0, and only those of a dimension whose offset
/// and size are constant.
IndexMap in_tiles(const IndexMap& map, const StartTile& start);

/// Whether the start tile has the same indices of a dimension for all parameters.
bool is_fixed(const StartTile::Dimension& dim);

Result<Frame> make_frame(const IndexMap& map, const StartTile& start);

}  // namespace tessera::detail
