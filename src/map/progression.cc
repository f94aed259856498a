// SPDX-License-Identifier: Apache-2.0
#include "map/progression.h"

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

// Independent summands, the smallest step first: each must begin within the reach of those before it.
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

// n > 0.
std::optional<Progression> divided(const Progression& p, Index n) {
  const Index first = tessera::floor_div(p.first, n);
  if (p.step % n == 0) return Progression{first, p.step / n, p.last};  // the remainders are equal
  if (p.step > n) return std::nullopt;
  const auto end = end_of(p);
  if (!end) return std::nullopt;
  const Index last = tessera::floor_div(*end, n) - first;
  return Progression{first, last == 0 ? 0 : Index{1}, last};
}

// n > 0.
std::optional<Progression> remainder(const Progression& p, Index n) {
  const Index step = std::gcd(p.step, n);
  const Index turn = n / step;  // after this many values the remainders repeat
  const Index first = tessera::mod(p.first, n);
  if (turn == 1) return Progression{.first = first};
  if (p.last >= turn - 1) return Progression{tessera::mod(p.first, step), step, turn - 1};
  Index width = 0;
  if (mul_overflows(p.last, p.step, width) || width > n - 1 - first) return std::nullopt;
  return Progression{first, p.step, p.last};  // all of them lie between two multiples of n
}

class Reader {
 public:
  explicit Reader(const Domain& domain) : domain_(domain), seen_(domain.variable_count(), false) {}

  std::optional<Progression> read(Expr e) {
    switch (e.kind()) {
      case ExprKind::constant:
        return Progression{.first = e.value()};
      case ExprKind::variable:
        return variable(static_cast<std::size_t>(e.value()));
      case ExprKind::add: {
        std::vector<Progression> summands;
        return add_summands(e, summands) ? sum(std::move(summands)) : std::nullopt;
      }
      case ExprKind::mul:
      case ExprKind::floor_div:
      case ExprKind::mod:
        return e.rhs().is_constant() ? by_constant(e) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Progression> variable(std::size_t v) {
    if (seen_[v]) return std::nullopt;  // its occurrences depend on each other
    seen_[v] = true;
    const Interval bounds = domain_.variables()[v].bounds;
    const auto last = bounds.is_finite() ? checked_sub(bounds.upper, bounds.lower) : std::nullopt;
    if (!last || *last < 0) return std::nullopt;
    return Progression{bounds.lower, *last == 0 ? 0 : Index{1}, *last};
  }

  // The interval of the sum: no part of a sum may overflow 64 bits either, because such a point has no value.
  std::optional<Interval> add_summands(Expr e, std::vector<Progression>& summands) {
    if (e.kind() != ExprKind::add) {
      const auto p = read(e);
      const auto end = p ? end_of(*p) : std::nullopt;
      if (!end) return std::nullopt;
      summands.push_back(*p);
      return Interval{p->first, *end};
    }
    const auto lhs = add_summands(e.lhs(), summands);
    const auto rhs = lhs ? add_summands(e.rhs(), summands) : std::nullopt;
    Interval both;
    if (!rhs || add_overflows(lhs->lower, rhs->lower, both.lower) ||
        add_overflows(lhs->upper, rhs->upper, both.upper)) {
      return std::nullopt;
    }
    return both;
  }

  std::optional<Progression> by_constant(Expr e) {
    const auto p = read(e.lhs());
    const Index n = e.rhs().value();
    if (!p || n == kIndexMin) return std::nullopt;
    if (e.kind() == ExprKind::mul) return times(*p, n);
    if (n == 0) return std::nullopt;
    if (e.kind() == ExprKind::mod) return remainder(*p, n < 0 ? -n : n);
    if (n > 0) return divided(*p, n);
    const auto turned = times(*p, -1);
    return turned ? divided(*turned, -n) : std::nullopt;
  }

  const Domain& domain_;
  std::vector<bool> seen_;
};

}  // namespace

std::optional<Progression> progression(Expr expr, const Domain& domain) { return Reader(domain).read(expr); }

}  // namespace tessera::detail
