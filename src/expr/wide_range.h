// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds in 128 bits, for code that adds and multiplies 64-bit bounds.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// The value as a 64-bit bound.
inline Index saturate(__int128 value) {
  const auto narrow = static_cast<Index>(value);
  return narrow == value ? narrow : value < 0 ? kNegInf : kPosInf;
}

/// The interval with ends that saturated. A finite lower bound above the 64-bit range must not become
/// +infinity, nor a finite upper bound below it -infinity: the largest and the smallest finite number are
/// weaker bounds.
inline Interval loosened(Index lower, Index upper) {
  return {std::min(lower, kPosInf - 1), std::max(upper, kNegInf + 1)};
}

/// a / b rounded down and rounded up, b > 0. Nearly all values fit in 64 bits, where division is much faster.
inline __int128 floor_div_wide(__int128 a, Index b) {
  if (b == 1) return a;
  if (a >= kIndexMin && a <= kIndexMax) return tessera::floor_div(static_cast<Index>(a), b);
  const __int128 q = a / b;
  return a % b < 0 ? q - 1 : q;
}
inline __int128 ceil_div_wide(__int128 a, Index b) {
  if (b == 1) return a;
  if (a >= kIndexMin && a <= kIndexMax) return tessera::ceil_div(static_cast<Index>(a), b);
  const __int128 q = a / b;
  return a % b > 0 ? q + 1 : q;
}

/// The range of a sum. Each side is the exact sum of the finite bounds in 128 bits, and counts the summands
/// that have no bound there, so that a summand can be removed again. A bound beyond 2^110 counts as none, so
/// that no sum of fewer than 2^17 summands overflows.
class WideRange {
 public:
  explicit WideRange(Index constant = 0) : lower_(constant), upper_(constant) {}
  WideRange(Index lower, Index upper) : lower_(lower), upper_(upper) {}

  /// Adds factor * r.
  void add(Index factor, Interval r) {
    if (factor == 0) return;
    const Ends e = ends(factor, r);
    open_lower_ += e.open_lower;
    open_upper_ += e.open_upper;
    lower_ += e.lower;
    upper_ += e.upper;
  }
  void add(const WideRange& other) {
    open_lower_ += other.open_lower_;
    open_upper_ += other.open_upper_;
    lower_ += other.lower_;
    upper_ += other.upper_;
  }
  void scale(Index factor) {
    open_lower_ += scale(lower_, factor);
    open_upper_ += scale(upper_, factor);
    if (factor >= 0) return;
    std::swap(lower_, upper_);
    std::swap(open_lower_, open_upper_);
  }

  bool finite() const { return open_lower_ == 0 && open_upper_ == 0; }
  /// The difference of the bounds. Requires a finite sum.
  __int128 width() const { return upper_ - lower_; }
  /// The range as an interval.
  Interval interval() const { return closed(lower_, open_lower_ != 0, upper_, open_upper_ != 0); }
  /// The integers in [lower / divisor, upper / divisor]; if there are none, the two integers around it.
  Interval divided(Index divisor) const {
    Interval r = closed(ceil_div_wide(lower_, divisor), open_lower_ != 0, floor_div_wide(upper_, divisor),
                        open_upper_ != 0);
    if (r.lower > r.upper) std::swap(r.lower, r.upper);  // no multiple inside: between two blocks
    return r;
  }
  /// Whether all values lie in one block [q * size, q * size + size - 1]; sets q if so.
  bool one_block(Index size, Index& q) const {
    if (!finite() || width() >= size) return false;
    const __int128 block = floor_div_wide(lower_, size);
    if (upper_ - block * size >= size || block <= kNegInf || block >= kPosInf) return false;
    q = static_cast<Index>(block);
    return true;
  }

  /// The values of x, for a summand factor * x with x in r, for which the sum can lie in `allowed`. Empty if
  /// there are none.
  std::optional<Interval> left_for(Index factor, Interval r, Interval allowed) const {
    const Ends own = ends(factor, r);
    // factor * x in [allowed.lower - others.upper, allowed.upper - others.lower]
    bool open_low = allowed.lower == kNegInf || open_upper_ != static_cast<int>(own.open_upper);
    bool open_high = allowed.upper == kPosInf || open_lower_ != static_cast<int>(own.open_lower);
    __int128 low = allowed.lower - (upper_ - own.upper);
    __int128 high = allowed.upper - (lower_ - own.lower);
    if (factor < 0) {  // -factor * x in [-high, -low]
      factor = -factor;
      low = -std::exchange(high, -low);
      std::swap(open_low, open_high);
    }
    const Interval left =
        closed(ceil_div_wide(low, factor), open_low, floor_div_wide(high, factor), open_high);
    return Interval::make(left.lower, left.upper);
  }

 private:
  static constexpr __int128 kLargest = __int128{1} << 110;

  struct Ends {
    __int128 lower = 0;
    __int128 upper = 0;
    bool open_lower = false;
    bool open_upper = false;
  };

  static Ends ends(Index factor, Interval r) {
    if (factor < 0) std::swap(r.lower, r.upper);
    const auto end = [&](Index bound, __int128& product, bool& open) {
      product = static_cast<__int128>(factor) * bound;
      open = bound == kNegInf || bound == kPosInf || product >= kLargest || product <= -kLargest;
      if (open) product = 0;
    };
    Ends out;
    end(r.lower, out.lower, out.open_lower);
    end(r.upper, out.upper, out.open_upper);
    return out;
  }

  // Multiplies a bound; true if the product is too large for a bound.
  static bool scale(__int128& bound, Index factor) {
    const bool open = __builtin_mul_overflow(bound, static_cast<__int128>(factor), &bound) ||
                      bound >= kLargest || bound <= -kLargest;
    if (open) bound = 0;
    return open;
  }

  static Interval closed(__int128 lower, bool open_lower, __int128 upper, bool open_upper) {
    return loosened(open_lower ? kNegInf : saturate(lower), open_upper ? kPosInf : saturate(upper));
  }

  __int128 lower_;
  __int128 upper_;
  int open_lower_ = 0;
  int open_upper_ = 0;
};

}  // namespace tessera::detail
