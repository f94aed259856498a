// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements of a broadcast are the same value: which of them lies where does not matter.
#pragma once

#include <optional>
#include <vector>

#include "relayout/index_range.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Another destination that says the same: in boxes that begin and end at whole blocks, the elements of each
/// source offset have the same places all together.
struct PlainerDestination {
  /// Indices of a dimension that change places among themselves.
  struct Block {
    std::size_t dim = 0;
    Index size = 1;
  };

  Layout layout;
  std::vector<Block> blocks;

  /// Is a copy of this box the same copy?
  bool holds_in(std::span<const IndexRange> box) const;
  bool holds_everywhere() const;
};

/// What swizzles and bases over F2 do to offset bits that are decided by index bits alone which the source
/// does not see is left out. Nothing where nothing can be left out. O(digits * bits), or O(bases^2).
std::optional<PlainerDestination> plainer_destination(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
