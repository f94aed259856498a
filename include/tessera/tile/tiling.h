// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiles through a program: which tiles of its operands a tile of an instruction's result reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/walk.h"
#include "tessera/tile/symbolic_tile.h"

namespace tessera {

/// The tile of an array that is read through one map. For an operand with several maps, the union of their
/// tiles is read.
struct OperandTile {
  std::uint32_t operand = 0;  ///< for tiles_reading: the leaf of the result
  std::uint32_t leaf = 0;
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

/// The tiles of the outputs that read the tile of an operand. Output dimensions that the operand does not
/// determine are whole; their sizes are rounded up to a power of two, and `upper` cuts them.
Result<std::vector<OperandTile>> tiles_reading(ProgramIndexing& program, const Instruction& instruction,
                                               std::size_t operand, const StartTile& start);

}  // namespace tessera
