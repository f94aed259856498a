// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which of the elements of one source offset lies where does not matter.
#pragma once

#include <optional>
#include <vector>

#include "relayout/index_range.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Two other layouts that say the same: in boxes that begin and end at whole blocks, the elements of each
/// source offset have the same places all together.
struct PlainerLayouts {
  /// Indices of a dimension that change places among themselves.
  struct Block {
    std::size_t dim = 0;
    Index size = 1;
  };

  Layout src;
  Layout dst;
  std::vector<Block> blocks;

  /// Is a copy of this box the same copy?
  bool holds_in(std::span<const IndexRange> box) const;
  bool holds_everywhere() const;
};

/// What swizzles and bases over F2 do to offset bits of the destination is left out where these are decided
/// by index bits alone that the source does not see; on both sides, where they are the same layout. Nothing
/// where nothing can be left out. O(digits * bits), or O(bases^2).
std::optional<PlainerLayouts> plainer_layouts(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
