// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arithmetic on one bound, where kNegInf and kPosInf mean unbounded.
#pragma once

#include "expr/form/workspace.h"
#include "expr/wide_range.h"

namespace tessera::detail {

/// bound - c; an infinite bound stays. If that overflows 64 bits, sets Environment::overflowed.
inline Index shifted(Environment& env, Index bound, Index c) {
  if (bound == kNegInf || bound == kPosInf) return bound;
  Index out = 0;
  // The ends of the 64-bit range mean "no bound", so neither the result nor its negation may reach them.
  if (sub_overflows(bound, c, out) || out >= kPosInf || out <= -kPosInf) {
    env.overflowed = true;
    return bound;
  }
  return out;
}

/// bound / g for g > 0, rounded up for a lower bound and down for an upper bound.
inline Index scaled_down(Index bound, Index g, bool lower) {
  if (g == 1 || bound == kNegInf || bound == kPosInf) return bound;
  return lower ? tessera::ceil_div(bound, g) : tessera::floor_div(bound, g);
}

/// a * m + c, saturating; an infinite a stays.
inline Index saturating_mul_add(Index a, Index m, Index c) {
  if (a == kNegInf || a == kPosInf) return a;
  return saturate(static_cast<__int128>(a) * m + c);
}

/// [lower * m + c, upper * m + d] for m > 0.
inline Interval multiplied(Interval r, Index m, Index c, Index d) {
  return loosened(saturating_mul_add(r.lower, m, c), saturating_mul_add(r.upper, m, d));
}

/// Whether the upper bound is -2^63 or the lower bound 2^63 - 1, which the simplifier would mistake for
/// infinity.
inline bool ends_read_as_infinite(Interval r) { return r.upper == kNegInf || r.lower == kPosInf; }

}  // namespace tessera::detail
