// SPDX-License-Identifier: Apache-2.0
/// \file
/// Closed integer intervals with infinities.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "tessera/base/index.h"

namespace tessera {

/// The bounds -infinity and +infinity: the ends of the 64-bit range, so that a bound is one integer.
inline constexpr Index kNegInf = kIndexMin;
inline constexpr Index kPosInf = kIndexMax;

/// Never empty: lower <= upper. Closed on both sides; kNegInf and kPosInf mean unbounded. Arithmetic widens
/// to infinity if a bound overflows 64 bits and never wraps, so every result contains the exact set of
/// values.
struct Interval {
  Index lower = kNegInf;
  Index upper = kPosInf;

  static constexpr bool valid(Index lower, Index upper) { return lower <= upper; }
  static constexpr std::optional<Interval> make(Index lower, Index upper) {
    return valid(lower, upper) ? std::optional<Interval>(Interval{lower, upper}) : std::nullopt;
  }
  static constexpr Interval point(Index value) { return {value, value}; }
  /// [0, extent - 1], the indices of a dimension. Requires extent >= 1.
  static constexpr Interval of_extent(Index extent) { return {0, extent - 1}; }

  constexpr bool is_point() const { return lower == upper && lower != kNegInf && lower != kPosInf; }
  constexpr bool is_finite() const { return lower != kNegInf && upper != kPosInf; }
  constexpr bool contains(Index value) const { return lower <= value && value <= upper; }
  constexpr bool contains(Interval other) const { return lower <= other.lower && other.upper <= upper; }
  constexpr bool intersects(Interval other) const { return lower <= other.upper && other.lower <= upper; }

  /// The number of integers in the interval; empty if that is infinite or overflows 64 bits.
  std::optional<Index> count() const;

  friend constexpr bool operator==(Interval, Interval) = default;
};

/// The intersection; no value if it is empty.
constexpr std::optional<Interval> intersect(Interval a, Interval b) {
  return Interval::make(a.lower > b.lower ? a.lower : b.lower, a.upper < b.upper ? a.upper : b.upper);
}

/// The smallest interval that contains both.
constexpr Interval hull(Interval a, Interval b) {
  return {a.lower < b.lower ? a.lower : b.lower, a.upper > b.upper ? a.upper : b.upper};
}

Interval operator+(Interval a, Interval b);
Interval operator-(Interval a);
Interval operator-(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
/// The values of floor(x / divisor) for x in `a`. Requires divisor != 0.
Interval floor_div(Interval a, Index divisor);
/// The values of x mod modulus for x in `a`: `a` shifted if floor(x / |modulus|) is constant, else
/// [0, |modulus| - 1]. Requires modulus != 0.
Interval mod(Interval a, Index modulus);
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);

/// Whether a comparison of intervals holds for all pairs of values (yes), for none (no), or depends on the
/// values (unknown).
enum class Ternary : std::uint8_t { no, yes, unknown };

Ternary less(Interval a, Interval b);
Ternary less_equal(Interval a, Interval b);
Ternary greater(Interval a, Interval b);
Ternary greater_equal(Interval a, Interval b);
Ternary equal(Interval a, Interval b);
Ternary not_equal(Interval a, Interval b);

/// `[l, u]`, as in the text of maps.
std::string to_string(Interval interval);
std::ostream& operator<<(std::ostream& out, Interval interval);

}  // namespace tessera
