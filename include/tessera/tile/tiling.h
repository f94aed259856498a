// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiles through a program: what a tile of an instruction's result reads of its operands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/walk.h"
#include "tessera/tile/symbolic_tile.h"

namespace tessera {

/// What a tile reads of an array through one map. An operand with several maps is read at the union of their
/// tiles.
struct OperandTile {
  std::uint32_t operand = 0;  ///< or the leaf of the result, in the direction of the outputs
  std::uint32_t leaf = 0;
  Indexing indexing = {};                 ///< the map; its runtime variables are those of the tile
  std::optional<SymbolicTile> tile = {};  ///< empty: unknown, see `reason`
  std::optional<SymbolicTile> replica =
      {};                   ///< the position in the replica groups that the tile is read from
  std::string reason = {};  ///< why the tile is unknown or only a bound
  /// Runtime variables whose value depends on the index: each element of the tile may have its own value, and
  /// so its own place in the operand.
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

/// What the tile of leaf `leaf` of the result reads of each operand, through the computations that the
/// instruction calls. Operands that are not read have no entry. Range variables that the start tile does not
/// have are swept whole. Errors: index_out_of_range.
Result<std::vector<OperandTile>> tiles_read(ProgramIndexing& program, const Instruction& instruction,
                                            std::size_t leaf, const StartTile& start);

/// Which tiles of the outputs read the tile of an operand. Dimensions of the output that are not determined
/// by the operand are whole; their sizes are rounded up to a power of two, and `upper` cuts them.
Result<std::vector<OperandTile>> tiles_reading(ProgramIndexing& program, const Instruction& instruction,
                                               std::size_t operand, const StartTile& start);

}  // namespace tessera
