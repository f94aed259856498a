// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts read backwards: the indices at an offset.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The indices at an offset; none means padding.
struct Preimage {
  std::vector<std::vector<Index>> indices = {};  ///< in row-major order
  bool complete = true;                          ///< all of them are listed
  /// Of padding in a tiled array: the number of the tile that pads, or TiledCell::kTail.
  int padding_of = TiledCell::kNone;
};

/// All indices with this offset, at most `limit` of them. Exact. O(digits) if no two indices share an offset;
/// tiles, swizzles and bases over F2 are inverted; other maps are searched, up to kTableLimit indices.
/// Errors: index_out_of_range (no index has the offset, and it is outside the buffer),
/// undecided.
Result<Preimage> indices_at(const Layout& layout, Index offset, std::size_t limit = 64);

}  // namespace tessera
