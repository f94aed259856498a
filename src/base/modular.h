// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arithmetic modulo a number.
#pragma once

#include <utility>

#include "tessera/base/index.h"

namespace tessera::detail {

/// The number in [0, n) whose product with k is 1 modulo n; 0 for n = 1. Requires gcd(k, n) = 1 and n >= 1.
/// O(log n).
inline Index modular_inverse(Index k, Index n) {
  __int128 r0 = n, r1 = mod(k, n), s0 = 0, s1 = 1;
  while (r1 != 0) {
    const __int128 q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    s0 = std::exchange(s1, s0 - q * s1);
  }
  return static_cast<Index>(s0 < 0 ? s0 + n : s0);
}

}  // namespace tessera::detail
