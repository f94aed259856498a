// SPDX-License-Identifier: Apache-2.0
/// \file
/// The picture of what a tile of a map reads.
#pragma once

#include <span>

#include "tessera/base/result.h"
#include "tessera/draw/picture.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// Two grids: the start array with the tile that begins at `first` (empty: the first index) and has these
/// sizes (a size that is 0 or left out is 1), and the array that the map reads, where each cell that the tile
/// reads has the number of reads. A grid shows the last two dimensions, and at most 64 rows and columns, from
/// the tile on. Cells of both grids correspond if one index reads only one element. Errors: not_applicable
/// (runtime variables, or an unbounded variable), limit (more than 2^18 reads).
Result<Picture> map_picture(const IndexMap& map, std::span<const Index> sizes, std::span<const Index> first);

}  // namespace tessera
