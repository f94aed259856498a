// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tiles of maps and instructions, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/tile/tile.h"

namespace tessera {

/// The answer of `tessera tile` for one instruction.
struct TileAnswer {
  const Instruction* instruction = nullptr;
  std::size_t leaf = 0;
  bool toward_inputs = true;      ///< false: the tiles of the outputs that read a tile of an operand
  std::size_t operand = 0;        ///< the operand, if not `toward_inputs`
  bool through = false;           ///< tiles of every value of the computation, not of the operands
  std::vector<Index> at = {};     ///< the first index of one tile; empty for the tiles of the grid
  std::vector<Index> sizes = {};  ///< a size of 0 is open
  std::vector<OperandTile> tiles = {};
  std::vector<std::vector<Index>> outputs = {};  ///< of all outputs: the sizes of each one's tile
  std::vector<ArrayTraffic> traffic = {};        ///< present if all sizes are numbers
  std::optional<TilingSearch> search = {};       ///< present if there is a budget
  std::optional<Index> budget = {};

  /// What all tiles of the same array as this one are together. Empty if it is the only one, or if they do
  /// not have the same parameters.
  std::optional<SymbolicTile> together(const OperandTile& tile) const;
  /// True if every tile is exact, and every tile that `together` gives.
  bool exact() const;
  /// True if some tile is unknown.
  bool unknown() const;
};

/// Several lines, without the last line break.
std::string to_text(const TileAnswer& answer);
/// `{"schema": "tessera.tile/1", ...}`; docs/lookup/json.md lists the keys.
std::string to_json(const TileAnswer& answer, int status);

/// As above, for a map that is given as text.
std::string to_text(const SymbolicTile& tile, bool origin);
std::string to_json(const SymbolicTile& tile, int status);

}  // namespace tessera
