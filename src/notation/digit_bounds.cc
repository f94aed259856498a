// SPDX-License-Identifier: Apache-2.0
#include "notation/digit_bounds.h"

namespace tessera::detail {
namespace {

// Sums of the lower digits of one dimension, for its indices modulo the divisor of the next digit.
struct LowerDigits {
  Interval all = Interval::point(0);       // of every index
  Interval at_least = Interval::point(0);  // of those from `first` on
  Interval at_most = Interval::point(0);   // of those up to `last`
  Interval between = Interval::point(0);   // of those from `first` to `last`; unused if there are none
};

// The digit with values from `low` to `high`, and the digits below it anywhere.
Interval with_all(const Digit& digit, Index low, Index high, const LowerDigits& lower) {
  return hull(Interval::point(low) * Interval::point(digit.stride),
              Interval::point(high) * Interval::point(digit.stride)) +
         lower.all;
}

LowerDigits with_digit(const LowerDigits& lower, const Digit& digit, Index first, Index last) {
  const auto at = [&](Index value) { return Interval::point(value) * Interval::point(digit.stride); };
  LowerDigits out;
  out.all = with_all(digit, 0, digit.ext - 1, lower);
  out.at_least = at(first) + lower.at_least;
  if (first + 1 < digit.ext)
    out.at_least = hull(out.at_least, with_all(digit, first + 1, digit.ext - 1, lower));
  out.at_most = at(last) + lower.at_most;
  if (last > 0) out.at_most = hull(out.at_most, with_all(digit, 0, last - 1, lower));
  if (first == last) {
    out.between = at(first) + lower.between;
  } else {
    out.between = hull(at(first) + lower.at_least, at(last) + lower.at_most);
    if (last - first > 1) out.between = hull(out.between, with_all(digit, first + 1, last - 1, lower));
  }
  return out;
}

// Calls first(d) and last(d) for the ends of dimension d.
template <class First, class Last>
Interval bounds_of(const Digits& digits, First&& first, Last&& last) {
  Interval bounds = Interval::point(digits.base());
  for (std::size_t d = 0; d < digits.box().size(); ++d) {
    LowerDigits sums;
    for (const Digit& digit : digits.digits(d))
      sums = with_digit(sums, digit, digit.value(first(d)), digit.value(last(d)));
    bounds = bounds + sums.between;
  }
  return bounds;
}

}  // namespace

Interval offset_bounds(const Digits& digits, std::span<const Index> first, std::span<const Index> last) {
  return bounds_of(digits, [&](std::size_t d) { return first[d]; }, [&](std::size_t d) { return last[d]; });
}

Interval offset_bounds(const Digits& digits) {
  return bounds_of(
      digits, [](std::size_t) { return Index{0}; }, [&](std::size_t d) { return digits.box()[d] - 1; });
}

}  // namespace tessera::detail
