// SPDX-License-Identifier: Apache-2.0
#include "map/values/line_points.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "expr/form/range.h"
#include "expr/limits.h"
#include "expr/questions/view.h"
#include "map/values/enumerate.h"

namespace tessera::detail {
namespace {

using Wide = __int128;

// The period of a view that depends only on this variable; 0 if unknown.
Index period_of(const ExprView& view, std::span<const Interval> box, Index variable) {
  Index period = 1;
  for (const DigitTerm& term : view.terms) {
    if (term.modulus == 0) return 0;
    const auto base = detail::view(term.base, box);
    const auto factor = base ? base->coefficient(variable) : std::nullopt;
    const auto own = factor ? checked_mul(term.divisor, term.modulus) : std::nullopt;
    if (!own || *own > kLimits.line_period) return 0;
    period = std::lcm(period, *own);
    if (period > kLimits.line_period) return 0;
  }
  return period;
}

// The lines of a domain along one variable.
class Lines {
 public:
  Lines(const Domain& domain, Index along) : domain_(domain), along_(along) {
    for (std::size_t v = 0; v < domain.variable_count(); ++v) {
      const bool own = std::cmp_equal(v, along);
      places_.push_back(own ? Expr::constant(0) : Expr::variable(static_cast<Index>(across_.size())));
      if (!own) across_.push_back(domain.variables()[v].bounds);
    }
  }

  // Whether every constraint has one of the supported kinds, and no step of it overflows 64 bits.
  bool readable() {
    const std::vector<Interval> box = box_of(domain_);
    for (const Constraint& c : domain_.constraints()) {
      const auto seen = view(c.expr, box);
      if (!seen || !seen->has_values || !seen->range.is_finite()) return false;
      const auto factor = seen->coefficient(along_);
      if (factor) {
        linear_.push_back({*factor, c.range});
        const Expr rest = seen->without(along_);
        const auto rest_view = view(rest, box);
        if (!rest_view || !rest_view->has_values) return false;
        rest_.push_back(substitute(rest, places_));
        continue;
      }
      if (variables(c.expr).size() != 1) return false;
      const Index own = period_of(*seen, box, along_);
      if (own == 0 || std::lcm(period_, own) > kLimits.line_period) return false;
      period_ = std::lcm(period_, own);
      periodic_.push_back(c);
    }
    return true;
  }

  std::optional<Index> count(Index limit) {
    const auto lines = point_count(across_);
    if (!lines || *lines > limit ||
        !domain_.variables()[static_cast<std::size_t>(along_)].bounds.is_finite()) {
      return std::nullopt;
    }
    look_at_one_period();
    if (across_.empty()) across_.push_back(Interval::point(0));
    RowEvaluator evaluator(rest_, across_.size());
    Wide total = 0;
    for (BoxRows rows(across_); rows.next();) {
      evaluator.run(rows.base(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) total += line(evaluator, i);
    }
    if (cancelled()) return std::nullopt;
    return total <= kIndexMax ? std::optional(static_cast<Index>(total)) : std::nullopt;
  }

 private:
  struct Linear {
    Index factor;
    Interval range;
  };

  // seen_[n]: how many of the first n values of a period are in the domain.
  void look_at_one_period() {
    seen_.assign(1, 0);
    std::vector<Index> point(domain_.variable_count(), 0);
    for (Index x = 0; x < period_; ++x) {
      point[static_cast<std::size_t>(along_)] = x;
      const bool inside = std::ranges::all_of(periodic_, [&](const Constraint& c) {
        const auto value = evaluate(c.expr, point);
        return value && c.range.contains(*value);
      });
      seen_.push_back(seen_.back() + (inside ? 1 : 0));
    }
  }

  // The number of values of the domain in [0, x); for x < 0, minus the number in [x, 0).
  Wide below(Wide x) const {
    const Wide turns = floor_div_wide(x, period_);
    return turns * seen_.back() + seen_[static_cast<std::size_t>(x - turns * period_)];
  }

  Wide line(const RowEvaluator& evaluator, std::size_t i) const {
    const Interval own = domain_.variables()[static_cast<std::size_t>(along_)].bounds;
    Wide lower = own.lower;
    Wide upper = own.upper;
    for (std::size_t c = 0; c < linear_.size(); ++c) {
      if (!evaluator.defined(c, i)) return 0;
      const auto [factor, range] = linear_[c];
      const Index rest = evaluator.value(c, i);
      if (factor == 0) {
        if (!range.contains(rest)) return 0;
        continue;
      }
      // |factor| * x + others is in `sum`; an infinite side has no effect.
      const Interval sum = factor > 0 ? range : -range;
      const Wide others = factor > 0 ? Wide{rest} : -Wide{rest};
      if (sum.lower != kNegInf) lower = std::max(lower, ceil_div_wide(sum.lower - others, std::abs(factor)));
      if (sum.upper != kPosInf) upper = std::min(upper, floor_div_wide(sum.upper - others, std::abs(factor)));
    }
    return lower > upper ? 0 : below(upper + 1) - below(lower);
  }

  const Domain& domain_;
  Index along_;
  std::vector<Expr> places_;      // the variables of the constraints as variables of `across_`
  std::vector<Interval> across_;  // the box of the other variables
  std::vector<Linear> linear_;
  std::vector<Expr> rest_;  // the part of each linear constraint without the variable, over `across_`
  std::vector<Constraint> periodic_;
  std::vector<Index> seen_;
  Index period_ = 1;
};

}  // namespace

std::optional<Index> count_by_lines(const Domain& domain, Index lines) {
  // Tries the variable with the most values first, because there are then the fewest lines.
  std::vector<std::size_t> order(domain.variable_count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto length = [&](std::size_t v) {
    const Interval bounds = domain.variables()[v].bounds;
    return Wide{bounds.upper} - bounds.lower;
  };
  std::ranges::stable_sort(order, std::ranges::greater{}, length);
  for (const std::size_t v : order) {
    Lines along(domain, static_cast<Index>(v));
    if (!along.readable()) continue;
    if (const auto count = along.count(lines)) return count;
  }
  return std::nullopt;
}

}  // namespace tessera::detail
