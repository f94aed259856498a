// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts read backwards: which index lies at an offset.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The indices that lie at an offset; none is padding.
struct Preimage {
  std::vector<std::vector<Index>> indices = {};  ///< in row-major order
  bool complete = true;                          ///< all of them are listed
  /// Of padding in an array's tiles: the number of the tile that pads, or TiledCell::kTail.
  int padding_of = TiledCell::kNone;
};

/// All indices with this offset, at most `limit` of them. Exact. O(digits) where no two indices share an
/// offset; tiles, swizzles and bases over F2 are turned around; other maps are searched, up to kTableLimit
/// indices. Errors: index_out_of_range (no index lies there and the layout's memory does not reach it),
/// undecided.
Result<Preimage> indices_at(const Layout& layout, Index offset, std::size_t limit = 64);

}  // namespace tessera
