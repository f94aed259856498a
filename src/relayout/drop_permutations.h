// SPDX-License-Identifier: Apache-2.0
/// \file
/// Simpler layouts for a copy, without permutations of elements that share a source offset.
#pragma once

#include <optional>
#include <vector>

#include "relayout/dim_range.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// Two simpler layouts that describe the same copy. Elements that share a source offset are interchangeable,
/// so their destination offsets only matter as a set. The set is the same in every index box that consists of
/// whole blocks.
struct UnpermutedLayouts {
  /// Aligned blocks of `size` indices of a dimension, within which indices are interchangeable.
  struct IndexBlock {
    std::size_t dim = 0;
    Index size = 1;
  };

  Layout src;
  Layout dst;
  std::vector<IndexBlock> blocks;

  /// True if the box consists of whole blocks, so that both pairs of layouts give the same copy of it.
  bool holds_in(std::span<const DimRange> box) const;
  bool holds_everywhere() const;
};

/// Removes from the destination the swizzles and bases over F2 that only permute elements of one source
/// offset. If both layouts are equal, removes them from both. Empty if there is nothing to remove. O(digits *
/// bits), or O(bases^2).
std::optional<UnpermutedLayouts> without_permutations(const Layout& src, const Layout& dst);

}  // namespace tessera::moving
