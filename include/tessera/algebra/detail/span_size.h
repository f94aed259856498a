// SPDX-License-Identifier: Apache-2.0
/// \file
/// The largest offsets of cropped and swizzled layouts, for mdspan's required_span_size.
#pragma once

#include "tessera/algebra/detail/strided_layout.h"

namespace tessera::detail {

/// The largest offset over the coordinates [0, extent) of one mode with strides >= 0, given leaf by leaf, the
/// fastest first. Requires extent >= 1.
template <class Leaf>
constexpr Index largest_below(int leaves, Index extent, Leaf&& leaf) {
  Index free = 0;  // the largest offset if all leaves so far may take any digit
  Index cut = 0;   // the largest offset if they may not exceed the digits of extent - 1
  Index rest = extent - 1;
  for (int i = 0; i < leaves; ++i) {
    const auto [size, stride] = leaf(i);
    const Index last = i + 1 < leaves ? rest % size : rest;
    rest /= size;
    const Index below = free + (last - 1) * stride;
    cut += last * stride;
    if (last > 0 && below > cut) cut = below;
    free += (size - 1) * stride;
  }
  return cut;
}

/// Visits every index below the extents, of any rank.
template <class Extent, class Visit>
constexpr void for_each_index(int rank, Extent&& extent, Visit&& visit) {
  Index index[64] = {};
  for (;;) {
    visit(static_cast<const Index*>(index));
    int d = rank - 1;
    while (d >= 0 && ++index[d] == extent(d)) index[d--] = 0;
    if (d < 0) return;
  }
}

}  // namespace tessera::detail
