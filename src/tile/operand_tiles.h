// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tiles that a tile of each array of a result reads.
#pragma once

#include <cstddef>
#include <span>

#include "tessera/tile/tile.h"

namespace tessera::detail {

/// tiles_read_by_all, with these sizes for leaf `first` in place of leaf 0. Sizes of 0 stay open. Errors:
/// those of tile_of_output.
Result<ResultTiles> result_tiles(ProgramIndexing& program, const Instruction& instruction, std::size_t first,
                                 std::span<const Index> sizes);

}  // namespace tessera::detail
