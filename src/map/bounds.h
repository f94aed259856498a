// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arithmetic of single bounds; kNegInf and kPosInf mean unbounded.
#pragma once

#include <algorithm>

#include "expr/workspace.h"

namespace tessera::detail {

/// bound - c, infinity stays. What overflows 64 bits is noted in the environment.
inline Index shifted(Environment& env, Index bound, Index c) {
  if (bound == kNegInf || bound == kPosInf) return bound;
  Index out = 0;
  // The ends of the 64-bit range mean unbounded, also after a change of sign.
  if (sub_overflows(bound, c, out) || out >= kPosInf || out <= -kPosInf) {
    env.overflowed = true;
    return bound;
  }
  return out;
}

/// bound / g, rounded into the interval; g > 0.
inline Index scaled_down(Index bound, Index g, bool lower) {
  if (g == 1 || bound == kNegInf || bound == kPosInf) return bound;
  return lower ? tessera::ceil_div(bound, g) : tessera::floor_div(bound, g);
}

/// a * m + c, infinity stays.
inline Index saturating_mul_add(Index a, Index m, Index c) {
  if (a == kNegInf || a == kPosInf) return a;
  const __int128 out = static_cast<__int128>(a) * m + c;
  if (out <= kNegInf) return kNegInf;
  return out >= kPosInf ? kPosInf : static_cast<Index>(out);
}

/// What a * m + c and b * m + d allow, m > 0. A bound beyond 64 bits on its far side is loosened, so that it
/// is never read as none.
inline Interval multiplied(Interval r, Index m, Index c, Index d) {
  return {std::min(saturating_mul_add(r.lower, m, c), kPosInf - 1),
          std::max(saturating_mul_add(r.upper, m, d), kNegInf + 1)};
}

/// An upper end -2^63 and a lower end 2^63 - 1 are bounds, but everywhere in here such an end is infinite.
inline bool ends_read_as_infinite(Interval r) { return r.upper == kNegInf || r.lower == kPosInf; }

}  // namespace tessera::detail
