// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes that the steps of a program move in tiles that fit on a chip.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/traffic.h"
#include "tessera/tile/tile.h"

namespace tessera::detail {

/// One run of a step in tiles.
struct TiledStep {
  const StepTraffic* step = nullptr;
  /// Bytes read and written. `upper` is what the best tile found moves, or what the loops of the step move if
  /// that is less or no tile was found; empty if they keep more than fits. `lower` is what must move: each
  /// byte once, or more for a product (product_bound.h).
  Count bytes = {};
  std::optional<Tiling> tile = {};  ///< the tile that moves `bytes.upper`, if one was found by a search
  std::size_t leaf = 0;             ///< the array of the result whose sizes `tile` has
  bool whole = false;               ///< all that the step reads and writes fits on the chip
  bool product = false;             ///< `lower` is the bound of a product
  std::string reason = {};          ///< why there is no tile; empty if there is one, or none is needed
};

/// All steps of a program, in the order of its traffic.
struct TiledProgram {
  Index on_chip = 0;
  std::vector<TiledStep> steps;
  Count bytes = {0, 0};  ///< the sum over all steps and runs
};

/// What the steps of a program move if each is computed tile by tile: a tile of the result and what it reads
/// take at most `on_chip` bytes, each tile reads on its own, and the result is written once. Values inside a
/// fusion take no bytes, but for the sums of its product. Of a result of several arrays, the one with the
/// most elements has the tile; a dimension of another array has the same part if it has the same number and
/// extent, and is whole otherwise. Searches the exact tiles of each step that reads an
/// element more than once and does not fit (valid_tilings), for at most kTileLimits.program_tilings tilings
/// in the program. The traffic is that of the module, and must outlive the result.
TiledProgram tiled_traffic(const HloModule& module, const ProgramTraffic& traffic, Index on_chip);

}  // namespace tessera::detail
