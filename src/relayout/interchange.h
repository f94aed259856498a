// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements that share a source offset are interchangeable.
#pragma once

#include <optional>
#include <vector>

#include "relayout/index_range.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Two other layouts for the same copy: in shapes that begin and end at whole blocks, the elements of each
/// source offset have the same destination offsets as a set.
struct PlainerLayouts {
  /// Indices of a dimension that are interchangeable.
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

/// Drops what swizzles and bases over F2 do to offset bits of the destination if these depend only on index
/// bits that the source ignores; drops it on both sides if the layouts are the same. Nothing if nothing can
/// be dropped. O(digits * bits), or O(bases^2).
std::optional<PlainerLayouts> plainer_layouts(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
