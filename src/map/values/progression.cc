// SPDX-License-Identifier: Apache-2.0
#include "map/values/progression.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera::detail {
namespace {

std::optional<Index> end_of(const Progression& p) {
  Index width = 0;
  Index end = 0;
  if (mul_overflows(p.last, p.step, width) || add_overflows(p.first, width, end)) return std::nullopt;
  return end;
}

std::optional<Progression> times(const Progression& p, Index factor) {
  const auto end = end_of(p);
  if (!end || factor == kIndexMin) return std::nullopt;
  Progression out{.last = factor == 0 ? 0 : p.last};
  if (mul_overflows(factor < 0 ? *end : p.first, factor, out.first) ||
      mul_overflows(p.step, factor < 0 ? -factor : factor, out.step) || !end_of(out)) {
    return std::nullopt;
  }
  if (out.last == 0) out.step = 0;
  return out;
}

// Adds independent summands, the smallest step first. Each step may exceed the range of the sum so far by at
// most one step of that sum; otherwise the values are not evenly spaced.
std::optional<Progression> sum(std::vector<Progression> summands) {
  Progression out;
  for (const Progression& p : summands) {
    if (add_overflows(out.first, p.first, out.first)) return std::nullopt;
    out.step = std::gcd(out.step, p.step);
  }
  std::ranges::sort(summands, {}, &Progression::step);
  for (const Progression& p : summands) {
    if (p.last == 0) continue;
    Index more = 0;
    if (p.step / out.step - 1 > out.last || mul_overflows(p.step / out.step, p.last, more) ||
        add_overflows(out.last, more, out.last)) {
      return std::nullopt;
    }
  }
  return end_of(out) ? std::optional(out) : std::nullopt;
}

// floor(p / n), n > 0.
std::optional<Progression> divided(const Progression& p, Index n) {
  const Index first = tessera::floor_div(p.first, n);
  if (p.step % n == 0) return Progression{first, p.step / n, p.last};  // all remainders are equal
  if (p.step > n) return std::nullopt;
  const auto end = end_of(p);
  if (!end) return std::nullopt;
  const Index last = tessera::floor_div(*end, n) - first;
  return Progression{first, last == 0 ? 0 : Index{1}, last};
}

// p mod n, n > 0.
std::optional<Progression> remainder(const Progression& p, Index n) {
  const Index step = std::gcd(p.step, n);
  const Index turn = n / step;  // after this many values the remainders repeat
  const Index first = tessera::mod(p.first, n);
  if (turn == 1) return Progression{.first = first};
  if (p.last >= turn - 1) return Progression{tessera::mod(p.first, step), step, turn - 1};
  Index width = 0;
  if (mul_overflows(p.last, p.step, width) || width > n - 1 - first) return std::nullopt;
  return Progression{first, p.step, p.last};  // all values lie between two multiples of n
}

// The values of the terms must not depend on each other, so each variable may occur in only one term.
std::optional<Progression> values_of(const ExprView& view, std::span<const Interval> box);

std::optional<Progression> values_of_base(const DigitTerm& term, std::span<const Interval> box) {
  if (term.opaque) return std::nullopt;
  if (!term.base.is_variable()) {
    const auto inside = view(term.base, box);
    return inside ? values_of(*inside, box) : std::nullopt;
  }
  const Interval bounds = box[static_cast<std::size_t>(term.base.value())];
  const auto last = bounds.is_finite() ? checked_sub(bounds.upper, bounds.lower) : std::nullopt;
  if (!last) return std::nullopt;
  return Progression{bounds.lower, *last == 0 ? 0 : Index{1}, *last};
}

std::optional<Progression> values_of(const ExprView& view, std::span<const Interval> box) {
  std::vector<Progression> summands{{.first = view.constant}};
  std::vector<bool> seen(box.size());
  for (const DigitTerm& term : view.terms) {
    for (const Index v : term.variables) {
      if (seen[static_cast<std::size_t>(v)]) return std::nullopt;
      seen[static_cast<std::size_t>(v)] = true;
    }
    const auto values = progression(term, box);
    if (!values) return std::nullopt;
    summands.push_back(*values);
  }
  return sum(std::move(summands));
}

}  // namespace

std::optional<Progression> progression(const DigitTerm& term, std::span<const Interval> box) {
  auto values = term.at_least_zero ? std::nullopt : values_of_base(term, box);
  if (values && term.divisor != 1) values = divided(*values, term.divisor);
  if (values && term.modulus != 0) values = remainder(*values, term.modulus);
  return values ? times(*values, term.coefficient) : std::nullopt;
}

std::optional<Progression> progression(Expr expr, std::span<const Interval> box) {
  const auto seen = view(expr, box);
  return seen && seen->has_values ? values_of(*seen, box) : std::nullopt;
}

}  // namespace tessera::detail
