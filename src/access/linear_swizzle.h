// SPDX-License-Identifier: Apache-2.0
/// \file
/// The best linear map of offset bits over F2 for accesses that are linear over F2.
#pragma once

#include <optional>

#include "access/accessed_layout.h"

namespace tessera::detail {

struct LinearSwizzle {
  BitMap map;            ///< map of element offsets
  bool optimal = false;  ///< no linear swizzle has fewer wavefronts
};

/// The linear swizzle with the fewest wavefronts. Empty if the tile is not 2^n bytes or some access is not
/// linear. The search stops when it reaches `floor`.
std::optional<LinearSwizzle> best_linear_swizzle(const AccessedLayout& problem, Index floor);

}  // namespace tessera::detail
