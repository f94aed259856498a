// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiles through a program: which tiles of its operands a tile of an instruction's result reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/utilization.h"
#include "tessera/hlo/walk.h"
#include "tessera/tile/symbolic_tile.h"

namespace tessera {

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

/// The tile grid of leaf `leaf` of an operand.
Result<StartTile> tile_of_operand(const Instruction& instruction, std::size_t operand, std::size_t leaf = 0,
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
/// parameters. A chain of operations becomes one map; a fusion is one step. `start` has the dimensions of the
/// output. Errors: index_out_of_range.
Result<std::vector<OperandTile>> tiles_upstream(ProgramIndexing& program, const Instruction& instruction,
                                                std::size_t leaf, const StartTile& start);

/// The tiles of the outputs that read the tile of an operand. Output dimensions that the operand does not
/// determine are whole; their sizes are rounded up to a power of two, and `upper` cuts them.
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

struct TilingSearch {
  /// At most 16, the best first: the least traffic, then the fewest tiles, then the most bytes.
  std::vector<Tiling> best;
  std::size_t tried = 0;
  std::size_t valid = 0;    ///< tilings where every operand's tile is exactly what is read
  std::size_t fitting = 0;  ///< valid tilings within the budget
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
