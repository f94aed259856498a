// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tile of one array that a tile of another array reads, as expressions of tile numbers and sizes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/hlo/indexing.h"
#include "tessera/map/judge.h"

namespace tessera {

/// A disjunction of conjunctions of `expr in [l, u]`: conditions on the sizes of a tile. One empty
/// conjunction is always satisfied; no conjunction is never satisfied.
class TileConstraint {
 public:
  using Conjunction = std::vector<Constraint>;

  /// Always satisfied.
  TileConstraint() : conjunctions_(1) {}
  explicit TileConstraint(std::vector<Conjunction> conjunctions) : conjunctions_(std::move(conjunctions)) {}
  static TileConstraint never() { return TileConstraint(std::vector<Conjunction>{}); }
  static TileConstraint in(Expr expr, Index lower, Index upper) {
    return TileConstraint({{{expr, {lower, upper}}}});
  }

  std::span<const Conjunction> conjunctions() const& { return conjunctions_; }
  std::span<const Conjunction> conjunctions() const&& = delete;  // a view of a temporary
  /// By form only: simplify finds the others.
  bool always_satisfied() const { return conjunctions_.size() == 1 && conjunctions_[0].empty(); }
  bool unsatisfiable() const { return conjunctions_.empty(); }
  /// Whether it holds at a point. False if an expression that decides has no value.
  bool satisfied(std::span<const Index> values) const;

 private:
  std::vector<Conjunction> conjunctions_;
};

/// Both constraints, or at least one. Intervals of equal expressions are intersected; a conjunction that this
/// makes impossible is dropped. O(product of the conjunctions) and O(their sum).
TileConstraint both(const TileConstraint& a, const TileConstraint& b);
TileConstraint either(const TileConstraint& a, const TileConstraint& b);

/// An equivalent constraint over the box: without what always or never holds, without duplicates, and without
/// conjunctions that another one contains. Conditions on one variable with at most 4096 values are compared
/// by their values, others by their text. Variables beyond the box are unbounded.
TileConstraint simplify(const TileConstraint& constraint, std::span<const Interval> box);

/// Does the constraint hold anywhere in the box? By enumerating the variables that a conjunction couples;
/// `undecided` if there are more than 2^20 such points.
Verdict satisfiable(const TileConstraint& constraint, std::span<const Interval> box);

/// `d0 in [1, 1] || 6 mod d1 in [0, 0] && d2 in [1, 1]`, sorted; `always satisfied`, `unsatisfiable`.
std::string to_string(const TileConstraint& constraint, const VariableNamer& namer);

/// One dimension of a tile: the indices offset + stride * k, 0 <= k < size, that are in [lower, upper).
/// All are expressions of the parameters of the tile.
struct TileDimension {
  Expr offset;
  Expr size;
  Expr stride;  ///< without meaning if the size is 1
  Expr lower;
  Expr upper;
};

/// What a tile of one array reads of another: the product of the dimensions.
struct SymbolicTile {
  /// The parameters: tile numbers and sizes are dimensions, runtime values are runtime variables.
  Domain parameters;
  std::vector<TileDimension> dims;
  /// Parameters that satisfy this read exactly the elements of the tile.
  TileConstraint constraint;
  /// For these, a tile that the end of the array or of the map's domain cuts also reads exactly the tile's
  /// elements in [lower, upper). For others it may read fewer.
  TileConstraint edges;
  /// Tiles without these conditions are outside the map's domain: they read nothing.
  TileConstraint active;
  /// False: a bound, valid for all parameters. The elements read are in the tile, which may have more.
  bool exact = true;
  std::string reason = {};  ///< why it is only a bound

  /// The name of a parameter.
  VariableNamer namer() const;
};

/// The tile of the start array, as a function of parameters: dimension k has the indices offset + stride * j,
/// 0 <= j < size, below its extent.
struct StartTile {
  struct Dimension {
    Expr offset = {};
    Expr size = {};
    Index stride = 1;
    Index extent = 1;                ///< of the array: indices 0 .. extent - 1
    std::optional<Expr> upper = {};  ///< indices at or beyond this are not in the tile either
    bool aligned = true;             ///< the offset is a multiple of the size, for all parameters
  };
  Domain parameters = {};            ///< without the runtime variables of the map
  std::vector<Dimension> dims = {};  ///< of the map's dimensions, then of its first range variables
  bool uniform = false;              ///< the sizes that are read must be the same for every tile
  std::vector<Index> extents = {};   ///< of the array that is read, if known
};

/// Tile numbers `tid_i` and sizes `ts_i`: offsets tid_i * ts_i. `sizes[i]` fixes a size, 0 leaves it open.
StartTile tile_grid(std::span<const Index> extents, std::span<const Index> sizes = {});

/// What the start tile reads through the map. The first range variables have the tiles of `start.dims` after
/// the dimensions; others are swept whole. A runtime variable has one value for the tile.
///
/// Exact for the parameters that satisfy the constraint: found from the map's digits, so that offsets,
/// strides and remainders that do not line up with the tile appear as conditions on its sizes. Where no such
/// form is known, or where the constraint has no solution, the answer is a bound and says why. Errors: limit
/// (more than 64 bits), not_representable for a map without points or with unbounded results.
Result<SymbolicTile> propagate(const IndexMap& map, const StartTile& start);

/// The tile at the origin with sizes d0, d1, ... in [1, extent]. The constraint also makes every other tile
/// of these sizes read a shifted copy of it. Range variables are swept whole. Example: of
/// (d0) -> (d0 / 6, d0 mod 6) on [0, 47]: sizes ((d0 + 5) / 6, d0 - ((d0 - 1) / 6) * 6) where
/// 6 mod d0 in [0, 0] || d0 mod 6 in [0, 0].
Result<SymbolicTile> symbolic_tile(const IndexMap& map);

/// A tile of numbers: the indices first + step * k, 0 <= k < count; step 0 for a single index.
struct ConcreteDimension {
  Index first = 0;
  Index count = 0;
  Index step = 0;
  friend bool operator==(const ConcreteDimension&, const ConcreteDimension&) = default;
};

/// The tile at these values of the parameters, cut to [lower, upper). Errors: value_count, undefined_value;
/// index_out_of_range if the constraint is not satisfied.
Result<std::vector<ConcreteDimension>> at(const SymbolicTile& tile, std::span<const Index> values);

/// The text of a tile on several lines: offset, size and stride maps, runtime variables, constraints.
std::string to_string(const SymbolicTile& tile);

}  // namespace tessera
