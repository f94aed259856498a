// SPDX-License-Identifier: Apache-2.0
// The offsets of a layout, by enumeration or from its digits.
#pragma once

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

struct OffsetWalk {
  Index low = 0;
  Index high = 0;
  Index image = 0;
  std::optional<std::pair<std::vector<Index>, std::vector<Index>>> collision =
      {};  // the first repeated offset
  OffsetRuns runs = {};
};

// Requires a size >= 1. O(size log size).
OffsetWalk walk(const Layout& layout);

// The runs of offsets; empty if digits overlap, or if the box cuts the digits of a run. O(digits log digits).
std::optional<OffsetRuns> runs_of(const Digits& digits);

}  // namespace tessera::detail
