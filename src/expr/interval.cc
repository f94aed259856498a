// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "expr/wide_range.h"
#include "tessera/expr/expr.h"

namespace tessera {
namespace {

using detail::loosened;

bool infinite(Index bound) { return bound == kNegInf || bound == kPosInf; }

// The sum of two lower (`toward` = kNegInf) or upper (kPosInf) bounds; an infinite bound wins.
Index add_bound(Index a, Index b, Index toward) {
  if (a == toward || b == toward) return toward;
  Index sum = 0;
  if (add_overflows(a, b, sum)) return a < 0 ? kNegInf : kPosInf;
  return sum;
}

Index negate_bound(Index a) {
  if (a == kNegInf) return kPosInf;
  return a == kPosInf ? kNegInf : -a;
}

Index mul_bound(Index a, Index b) {
  if (a == 0 || b == 0) return 0;
  const bool negative = (a < 0) != (b < 0);
  Index product = 0;
  if (infinite(a) || infinite(b) || mul_overflows(a, b, product)) return negative ? kNegInf : kPosInf;
  return product;
}

Index div_bound(Index a, Index divisor) {
  if (infinite(a)) return (a < 0) != (divisor < 0) ? kNegInf : kPosInf;
  return floor_div(a, divisor);
}

}  // namespace

std::optional<Index> Interval::count() const {
  if (!is_finite()) return std::nullopt;
  const auto width = checked_sub(upper, lower);
  return width ? checked_add(*width, 1) : std::nullopt;
}

Interval operator+(Interval a, Interval b) {
  return loosened(add_bound(a.lower, b.lower, kNegInf), add_bound(a.upper, b.upper, kPosInf));
}

Interval operator-(Interval a) { return loosened(negate_bound(a.upper), negate_bound(a.lower)); }

Interval operator-(Interval a, Interval b) { return a + -b; }

Interval operator*(Interval a, Interval b) {
  const auto [lower, upper] = std::minmax({mul_bound(a.lower, b.lower), mul_bound(a.lower, b.upper),
                                           mul_bound(a.upper, b.lower), mul_bound(a.upper, b.upper)});
  return loosened(lower, upper);
}

Interval floor_div(Interval a, Index divisor) {
  a = loosened(a.lower, a.upper);
  const auto [lower, upper] = std::minmax({div_bound(a.lower, divisor), div_bound(a.upper, divisor)});
  return loosened(lower, upper);
}

Interval mod(Interval a, Index modulus) {
  if (modulus == kIndexMin) return {0, kIndexMax};
  const Index m = std::abs(modulus);
  if (a.is_finite() && floor_div(a.lower, m) == floor_div(a.upper, m))
    return {mod(a.lower, m), mod(a.upper, m)};
  return {0, m - 1};
}

Interval min(Interval a, Interval b) { return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)}; }
Interval max(Interval a, Interval b) { return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)}; }

Ternary greater(Interval a, Interval b) {
  if (a.lower > b.upper) return Ternary::yes;
  return a.upper <= b.lower ? Ternary::no : Ternary::unknown;
}

Ternary less(Interval a, Interval b) { return greater(b, a); }

namespace {

Ternary negate(Ternary t) {
  if (t == Ternary::unknown) return t;
  return t == Ternary::yes ? Ternary::no : Ternary::yes;
}

}  // namespace

Ternary greater_equal(Interval a, Interval b) { return negate(greater(b, a)); }
Ternary less_equal(Interval a, Interval b) { return negate(greater(a, b)); }

Ternary equal(Interval a, Interval b) {
  if (!a.intersects(b)) return Ternary::no;
  return a.is_point() && a == b ? Ternary::yes : Ternary::unknown;
}

Ternary not_equal(Interval a, Interval b) { return negate(equal(a, b)); }

std::string to_string(Interval interval) { return fmt::format("[{}, {}]", interval.lower, interval.upper); }

std::ostream& operator<<(std::ostream& out, Interval interval) { return out << to_string(interval); }

}  // namespace tessera
