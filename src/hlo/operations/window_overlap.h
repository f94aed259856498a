// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts the window elements that are over an element of the input, not over padding or a gap.
#pragma once

#include "hlo/ops/window.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// Numbers along one dimension.
struct WindowOverlap {
  Count pairs;    ///< pairs of an output and a window element that is over an element of the input
  Count covered;  ///< outputs with at least one such window element
};

/// Exact unless both `out` and the size of the window exceed a million, or a place has more than 62 bits.
/// O(min(out, size)).
WindowOverlap window_overlap(const WindowAxis& axis);

}  // namespace tessera::detail
