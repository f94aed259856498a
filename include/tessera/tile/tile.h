// SPDX-License-Identifier: Apache-2.0
/// \file
/// SymbolicTile: what a tile of one array reads of others, through one map and through a program.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/hlo/indexing.h"
#include "tessera/hlo/traffic.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/judge.h"

namespace tessera {

/// A disjunction of conjunctions of `expr in [l, u]`: conditions on the sizes of a tile. One empty
/// conjunction means always satisfied; no conjunctions mean never satisfied.
class TileConstraint {
 public:
  using Conjunction = std::vector<Constraint>;

  /// Always satisfied.
  TileConstraint() : conjunctions_(1) {}
  explicit TileConstraint(std::vector<Conjunction> conjunctions) : conjunctions_(std::move(conjunctions)) {}
  static TileConstraint never() { return TileConstraint(std::vector<Conjunction>{}); }
  static TileConstraint in(Expr expr, Interval range) { return TileConstraint({{{expr, range}}}); }

  std::span<const Conjunction> conjunctions() const& { return conjunctions_; }
  std::span<const Conjunction> conjunctions() const&& = delete;  // a view of a temporary
  /// Decided by form only; `simplify` brings other constraints into this form if it can decide them.
  bool always_satisfied() const { return conjunctions_.size() == 1 && conjunctions_[0].empty(); }
  bool unsatisfiable() const { return conjunctions_.empty(); }
  /// Whether the constraint holds at a point. False if an expression that decides this has no value.
  bool satisfied(std::span<const Index> values) const;

 private:
  std::vector<Conjunction> conjunctions_;
};

/// The constraint that holds if both hold, or if at least one holds. `both` intersects the intervals of equal
/// expressions and drops conjunctions that become impossible. O(product of the numbers of conjunctions), or
/// O(their sum).
TileConstraint both(const TileConstraint& a, const TileConstraint& b);
TileConstraint either(const TileConstraint& a, const TileConstraint& b);

/// An equivalent constraint over the box: without conditions that always or never hold, without duplicates,
/// and without conjunctions that another conjunction contains. Conditions on one variable with at most 4096
/// values are compared by their values, others by their text. Variables beyond the box are unbounded.
TileConstraint simplify(const TileConstraint& constraint, std::span<const Interval> box);

/// Whether the constraint holds anywhere in the box. Enumerates the variables that occur together in a
/// conjunction; `undecided` if there are more than 2^20 such points.
Verdict satisfiable(const TileConstraint& constraint, std::span<const Interval> box);

/// `d0 in [1, 1] || 6 mod d1 in [0, 0] && d2 in [1, 1]`, sorted; `always satisfied`, `unsatisfiable`.
std::string to_string(const TileConstraint& constraint, const VariableNamer& namer);

/// One dimension of a tile: the indices offset + stride * k, 0 <= k < size, that are in [lower, upper). All
/// fields are expressions in the parameters of the tile.
struct TileDimension {
  Expr offset;
  Expr size;
  Expr stride;  ///< meaningless if the size is 1
  Expr lower;
  Expr upper;
};

/// The elements of one array that a tile of another array reads: the product of the dimensions.
struct SymbolicTile {
  /// The parameters: tile numbers and sizes are dimensions, runtime values are runtime variables.
  Domain parameters;
  std::vector<TileDimension> dims;
  /// If the parameters satisfy this, exactly the elements of the tile are read.
  TileConstraint constraint;
  /// If the parameters also satisfy this, a tile that is cut at the end of the array or of the map's domain
  /// still reads exactly the tile's elements in [lower, upper). Otherwise it may read fewer.
  TileConstraint edges;
  /// If the parameters do not satisfy this, the tile is outside the map's domain and reads nothing.
  TileConstraint active;
  /// False: the tile is only a bound, valid for all parameters. It contains all elements that are read, and
  /// may contain others.
  bool exact = true;
  std::string reason = {};  ///< why the tile is only a bound

  /// Gives the names of the parameters.
  VariableNamer namer() const;
};

/// The tile of the start array, as a function of parameters: dimension k has the indices offset + stride * j,
/// 0 <= j < size, below its extent.
struct StartTile {
  struct Dimension {
    Expr offset = {};
    Expr size = {};
    Index stride = 1;
    Index extent = 1;                ///< extent of the array: its indices are 0 .. extent - 1
    std::optional<Expr> upper = {};  ///< if set, indices at or beyond this are not in the tile
    bool aligned = true;             ///< the offset is a multiple of the size, for all parameters
  };
  Domain parameters = {};            ///< without the runtime variables of the map
  std::vector<Dimension> dims = {};  ///< for the map's dimensions, then for its first range variables
  bool uniform = false;              ///< every tile must read a tile of the same sizes
  std::vector<Index> extents = {};   ///< extents of the array that is read, if known
};

/// The grid of tiles with numbers `tid_i`, sizes `ts_i` and offsets tid_i * ts_i. `sizes[i]` fixes a size; 0
/// leaves it open.
StartTile tile_grid(std::span<const Index> extents, std::span<const Index> sizes = {});

/// Moves the tile of the first dimensions to these indices, whatever the tile numbers are: it begins there
/// and ends after its size, or with the array. Errors: rank_mismatch (more indices than dimensions),
/// index_out_of_range, unbounded (a dimension whose size is open).
Result<void> place_at(StartTile& start, std::span<const Index> at);

/// The tile that the start tile reads through the map. After the dimensions, `start.dims` has the tiles of
/// the first range variables; the other range variables take all their values. A runtime variable has one
/// value for the tile.
///
/// Exact for the parameters that satisfy the constraint. Found from the map's digits: offsets, strides and
/// remainders that do not line up with the tile appear as conditions on its sizes. If no such form is known,
/// or if the constraint has no solution, the result is a bound with a reason. Errors: limit (more than 64
/// bits), not_representable for a map without points or with unbounded results.
Result<SymbolicTile> propagate(const IndexMap& map, const StartTile& start);

/// For each dimension of the map, the extent that tiles divide: 1 + its upper bound. Errors: unbounded,
/// overflow, not_representable (a dimension that is always negative).
Result<std::vector<Index>> tiled_extents(const IndexMap& map);

/// The tile read by the tile at the origin with sizes d0, d1, ... in [1, extent]. The constraint also ensures
/// that every other tile of these sizes reads a shifted copy of it. Range variables take all their values.
/// Example: for (d0) -> (d0 / 6, d0 mod 6) on [0, 47], the sizes are ((d0 + 5) / 6, -(-d0 mod 6) + 6) with
/// the constraint 6 mod d0 in [0, 0] || d0 mod 6 in [0, 0]. Errors: those of tiled_extents and propagate.
Result<SymbolicTile> symbolic_tile(const IndexMap& map);

/// One tile that contains several tiles of one array. They must have the same parameters, without runtime
/// variables; otherwise empty. Exact if it is their union for all parameters: if one contains the others, or
/// they differ in one dimension, in which they overlap or adjoin. Else a bound with a reason. O(tiles^3).
/// Example: the tiles [t * 8, t * 8 + 8) and [t * 8 + 1, t * 8 + 9) are together [t * 8, t * 8 + 9).
std::optional<SymbolicTile> tile_union(std::span<const SymbolicTile> tiles);

/// One dimension of a tile with known numbers: the indices first + step * k, 0 <= k < count; step is 0 for a
/// single index.
struct ConcreteDimension {
  Index first = 0;
  Index count = 0;
  Index step = 0;
  friend bool operator==(const ConcreteDimension&, const ConcreteDimension&) = default;
};

/// The tile for these values of the parameters, cut to [lower, upper). Errors: value_count, undefined_value;
/// index_out_of_range if the constraint is not satisfied.
Result<std::vector<ConcreteDimension>> at(const SymbolicTile& tile, std::span<const Index> values);

/// The text of a tile on several lines: offset, size and stride maps, runtime variables, constraints.
std::string to_string(const SymbolicTile& tile);

/// The tile of an array that is read through one map. For an operand with several maps, the union of their
/// tiles is read.
struct OperandTile {
  std::uint32_t operand = 0;  ///< for tiles_reading: the leaf of the result
  std::uint32_t leaf = 0;
  std::uint32_t output = 0;  ///< for tiles_read_by_all: the leaf of the result whose tile reads this
  const Instruction* value = nullptr;     ///< the array, in tiles_upstream
  Indexing indexing = {};                 ///< the map; its runtime variables are those of the tile
  std::optional<SymbolicTile> tile = {};  ///< empty: unknown, see `reason`
  std::optional<SymbolicTile> replica =
      {};                   ///< the position in the replica groups from which the tile is read
  std::string reason = {};  ///< why the tile is unknown or only a bound
  /// Runtime variables whose value depends on the index: each element of the tile may have its own value, and
  /// so its own position in the operand.
  std::vector<std::size_t> varying = {};
  bool exact() const { return tile && tile->exact && indexing.exactness == Exactness::exact; }
};

/// The tile grid of leaf `leaf` of the result: its dimensions, then those that the instruction contracts
/// (reduce, in the order of `dimensions`; dot and scaled-dot, in the order of the pairs). `sizes` as in
/// tile_grid; open sizes of contracted dimensions are fixed to their extents if `whole`. Errors:
/// index_out_of_range, rank_mismatch for too many sizes, number_range for a negative one.
Result<StartTile> tile_of_output(const Instruction& instruction, std::size_t leaf,
                                 std::span<const Index> sizes = {}, bool whole = false);

/// The tile grid of a leaf of an operand. Errors: as tile_of_output.
Result<StartTile> tile_of_operand(const Instruction& instruction, OperandLeaf of,
                                  std::span<const Index> sizes = {});

/// The tiles of each operand that the tile of leaf `leaf` of the result reads, through the computations that
/// the instruction calls. Operands that are not read have no entry. Range variables that the start tile does
/// not have take all their values. Errors: index_out_of_range.
Result<std::vector<OperandTile>> tiles_read(ProgramIndexing& program, const Instruction& instruction,
                                            std::size_t leaf, const StartTile& start);

/// The tiles of every array of the result that a kernel computes together, and what they read.
struct ResultTiles {
  std::vector<StartTile> starts;   ///< one for each leaf of the result; they have the same parameters
  std::vector<OperandTile> reads;  ///< of all leaves, sorted by the array that is read
};

/// For an instruction with several arrays in its result, such as a fusion with several roots: leaf 0 has the
/// tile of tile_of_output with these sizes. A dimension of another leaf has the same tile if it has the same
/// number and extent as one of leaf 0; otherwise it is whole. Errors: those of tile_of_output.
Result<ResultTiles> tiles_read_by_all(ProgramIndexing& program, const Instruction& instruction,
                                      std::span<const Index> sizes);

/// What the tile reads of every value that it depends on in the instruction's computation, back to the
/// parameters. A chain of operations becomes one map; a fusion is one step. Contracted dimensions of `start`
/// are taken whole: if a size is smaller, the tiles are bounds. Errors: index_out_of_range.
Result<std::vector<OperandTile>> tiles_upstream(ProgramIndexing& program, const Instruction& instruction,
                                                std::size_t leaf, const StartTile& start);

/// The tiles of the outputs that read the tile of an operand. Output dimensions that the operand does not
/// determine are whole; their sizes are rounded up to a power of two, and `upper` cuts them. Errors:
/// index_out_of_range.
Result<std::vector<OperandTile>> tiles_reading(ProgramIndexing& program, const Instruction& instruction,
                                               std::size_t operand, const StartTile& start);

/// What all tiles of the output together read of one array.
struct ArrayTraffic {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
  int element_bits = 0;
  Index elements = 0;  ///< of the array
  TileReads reads;
};

/// Counts what the tiles of an output read of each array, by counting over its maps (count_tile_reads);
/// contracted dimensions are swept whole. `sizes`: one for each dimension of the output. Arrays whose maps
/// are unknown have bounds. Errors: index_out_of_range, rank_mismatch, bad_extent.
Result<std::vector<ArrayTraffic>> tile_traffic(ProgramIndexing& program, const Instruction& instruction,
                                               std::size_t leaf, std::span<const Index> sizes);

/// Sizes of a tile, and what they cost.
struct Tiling {
  std::vector<Index> sizes;
  Index tiles = 1;    ///< of the grid, contracted dimensions included
  Index bytes = 0;    ///< an upper bound on the size of the output's tile and all that it reads
  Index traffic = 0;  ///< an upper bound on the bytes that all tiles read, each tile separately
};

/// The tilings that valid_tilings found, and how many it tried.
struct TilingSearch {
  /// At most 16, the best first: the least traffic, then the fewest tiles, then the most bytes.
  std::vector<Tiling> best;
  std::size_t tried = 0;
  std::size_t valid = 0;    ///< tilings where every operand's tile is exactly what is read
  std::size_t fitting = 0;  ///< valid tilings within the budget
  /// Of the valid tilings with the fewest bytes, the one with the least traffic. None that was tried fits in
  /// a smaller budget.
  std::optional<Tiling> smallest = {};
  /// False: only powers of two and whole dimensions were tried, because there are too many divisors.
  bool divisors = true;
};

/// The tilings for which each value that the instruction reads has an exact tile. A size of 0 (every size, if
/// `sizes` is empty), contracted dimensions included, is tried as powers of two, divisors and the whole
/// dimension. `budget`: the most bytes that a tile of the output and what it reads may take. Tries at most
/// 20,000 tilings. Errors: those of tile_of_output, limit (more tilings).
Result<TilingSearch> valid_tilings(ProgramIndexing& program, const Instruction& instruction, std::size_t leaf,
                                   std::span<const Index> sizes, std::optional<Index> budget = {});

}  // namespace tessera
