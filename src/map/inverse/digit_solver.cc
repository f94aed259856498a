// SPDX-License-Identifier: Apache-2.0
#include "map/inverse/digit_solver.h"

#include <algorithm>
#include <cstdlib>

#include "expr/limits.h"
#include "map/simplify/environment.h"
#include "map/simplify/range.h"
#include "map/simplify/simplify.h"
#include "map/values/enumerate.h"

namespace tessera::detail {
namespace {

std::size_t number(Index v) { return static_cast<std::size_t>(v); }

}  // namespace

std::optional<ExprView> DigitSolver::view(Expr e) const {
  return ask([&](Workspace& ws) { return detail::view(ws, e, box_); });
}

DigitSolver::DigitSolver(const IndexMap& map)
    : map_(map), box_(box_of(map.domain())), values_(map.variables().size()) {
  box_.resize(box_.size() + map.results().size());
  for (std::size_t v = 0; v < values_.size(); ++v) {
    const Interval bounds = map.variables()[v].bounds;
    if (map.domain().kind(v) == VariableKind::runtime) {
      values_[v] = Expr::variable(static_cast<Index>(v));  // runtime variables are known
    } else if (bounds.is_point()) {
      values_[v] = Expr::constant(bounds.lower);
    }
  }
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    equations_.push_back({map.results()[i], Expr::variable(static_cast<Index>(values_.size() + i))});
  }
}

bool DigitSolver::solved() const {
  return std::ranges::all_of(values_, [](const auto& value) { return value.has_value(); });
}

// Whether some variable is not known yet.
bool DigitSolver::open(std::span<const Index> variables) const {
  return std::ranges::any_of(variables,
                             [&](Index v) { return number(v) < values_.size() && !values_[number(v)]; });
}

// The range on the domain.
Interval DigitSolver::range(Expr e) const {
  return ask([&](Workspace& ws) { return detail::range_within(ws, e, map_.domain()); });
}

// The expression with known variables replaced by their values.
Expr DigitSolver::resolved(Expr e) const {
  std::vector<Expr> replacements;
  for (std::size_t v = 0; v < values_.size(); ++v) {
    replacements.push_back(values_[v].value_or(Expr::variable(static_cast<Index>(v))));
  }
  return substitute(e, replacements);
}

// The range of a term, narrowed by the constraints.
Interval DigitSolver::values_of(const DigitTerm& term) const {
  if (map_.constraints().empty()) return term.range;
  return intersect(term.range, range(term.digit())).value_or(term.range);
}

void DigitSolver::solve() {
  for (int round = 0; round < kLimits.inverse_rounds; ++round) {
    bool progress = false;
    for (std::size_t i = 0; i < equations_.size() && !too_long(); ++i) {
      if (equations_[i].used) continue;
      Equation equation = equations_[i];
      if (split(equation)) {
        equations_[i].used = true;
        progress = true;
      } else if (equation.clearings < kLimits.inverse_clearings && clear_quotient(equation)) {
        ++equation.clearings;
        equations_[i] = equation;
        progress = true;
      }
    }
    progress = join_digits() || progress;
    if (!progress) return;
  }
}

// Solves sum of coefficient * digit = right. If the terms are digits of a mixed radix, each digit is a
// quotient of what remains modulo the coefficients of the larger digits.
bool DigitSolver::split(Equation& equation) {
  const auto left = view(equation.left);
  if (!left) return false;
  struct Place {
    Index weight;
    Index count;  // the number of values minus one
    Interval range;
    const DigitTerm* term;
  };
  std::vector<Place> places;
  Index constant = left->constant;
  Expr rest = equation.right;
  for (const DigitTerm& term : left->terms) {
    if (!open(term.variables)) {
      rest = rest - resolved(term.digit()) * term.coefficient;
      continue;
    }
    if (too_long()) return false;
    const Interval range = values_of(term);
    if (!range.is_finite() || term.coefficient == kIndexMin) return false;
    const auto count = checked_sub(range.upper, range.lower);
    if (!count) return false;
    // Terms with negative coefficients count down from their upper end.
    Index start = 0;
    if (mul_overflows(term.coefficient, term.coefficient > 0 ? range.lower : range.upper, start) ||
        add_overflows(constant, start, constant)) {
      return false;
    }
    places.push_back({std::abs(term.coefficient), *count, range, &term});
  }
  if (places.empty()) return false;
  std::ranges::sort(places, [](const Place& a, const Place& b) { return a.weight < b.weight; });
  Index below = 0;  // the largest sum of the smaller terms
  for (const Place& place : places) {
    Index most = 0;
    if (place.weight <= below || mul_overflows(place.weight, place.count, most) ||
        add_overflows(below, most, below)) {
      return false;
    }
  }
  rest = rest - constant;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const Expr steps = floor_div(rest, place->weight);
    rest = mod(rest, place->weight);
    learn(*place->term, place->term->coefficient > 0 ? steps + place->range.lower
                                                     : Expr::constant(place->range.upper) - steps);
  }
  return true;
}

// Records that the term without its coefficient has this value. Derives nothing from max and products.
void DigitSolver::learn(const DigitTerm& term, Expr value) {
  if (term.is_variable()) {
    auto& known = values_[number(term.base.value())];
    if (!known) known = value;
  } else if (!term.is_plain() && !term.at_least_zero) {
    digits_.push_back({term.base, term.divisor, term.modulus, value});
  }
}

// The value of (base floordiv divisor) mod (the digit's modulus), if the digit determines it. The digit's own
// base may differ from `base` by a multiple of the period and, for a last digit, also by a constant.
std::optional<Expr> DigitSolver::digit_of(const KnownDigit& digit, Expr base, Index divisor) const {
  if (digit.divisor != divisor) return std::nullopt;
  if (digit.base == base) return digit.value;
  Index period = 0;
  if (digit.modulus == 0 || mul_overflows(divisor, digit.modulus, period)) return std::nullopt;
  if (too_long()) return std::nullopt;
  const Expr shift =
      ask([&](Workspace& ws) { return simplified(ws, mod(base - digit.base, period), map_.domain()); });
  if (shift.is_constant(0)) return digit.value;
  if (divisor != 1 || !shift.is_constant()) return std::nullopt;
  return mod(digit.value + shift, digit.modulus);
}

// k * floor(z / m) + rest = y, where z mod m = v is known, becomes k * z + m * rest = m * y + k * v.
bool DigitSolver::clear_quotient(Equation& equation) const {
  const auto left = view(equation.left);
  if (!left) return false;
  for (const DigitTerm& term : left->terms) {
    if (term.divisor == 1 || term.modulus != 0 || !open(term.variables)) continue;
    const auto digit = std::ranges::find_if(digits_, [&](const KnownDigit& d) {
      return d.base == term.base && d.divisor == 1 && d.modulus == term.divisor;
    });
    if (digit == digits_.end()) continue;
    Expr cleared = term.base * term.coefficient;
    for (const DigitTerm& other : left->terms) {
      Index factor = 0;
      if (mul_overflows(other.coefficient, term.divisor, factor)) return false;
      if (&other != &term) cleared = cleared + other.digit() * factor;
    }
    equation.left = cleared;
    equation.right = (equation.right - left->constant) * term.divisor + digit->value * term.coefficient;
    return true;
  }
  return false;
}

// x = d0 + b0 * (d1 + b1 * (...)) for a complete chain of digits of x.
bool DigitSolver::join_digits() {
  bool progress = false;
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const Expr base = digits_[i].base;
    if (!open(variables(base)) || too_long()) continue;
    if (std::ranges::any_of(equations_, [&](const Equation& e) { return e.left == base; })) continue;
    Expr sum;
    Index place = 1;
    const Interval values = range(base);
    bool complete = false;
    while (!complete) {
      std::optional<Expr> digit;
      const auto next = std::ranges::find_if(digits_, [&](const KnownDigit& d) {
        digit = digit_of(d, base, place);
        return digit.has_value();
      });
      if (next == digits_.end()) break;
      sum = sum + *digit * place;
      if (next->modulus == 0) {
        complete = true;
      } else if (mul_overflows(place, next->modulus, place)) {
        break;
      } else {
        complete = values.lower >= 0 && values.upper < place;
      }
    }
    if (!complete) continue;
    if (base.is_variable()) {
      values_[number(base.value())] = sum;
    } else {
      equations_.push_back({base, sum});
    }
    progress = true;
  }
  return progress;
}

void DigitSolver::eliminate() {
  // After each elimination, another equation may give digits.
  for (Equation& equation : equations_) {
    if (equation.used) continue;
    const auto left = view(resolved(equation.left));
    if (!left) continue;
    for (const DigitTerm& term : left->terms) {
      if (!term.is_variable() || std::abs(term.coefficient) != 1) continue;
      const Index v = term.base.value();
      if (number(v) >= values_.size() || values_[number(v)] || !left->coefficient(v)) continue;
      Expr value = equation.right - left->constant;
      for (const DigitTerm& other : left->terms) {
        if (&other != &term) value = value - other.digit() * other.coefficient;
      }
      values_[number(v)] = resolved(value * term.coefficient);
      // Values found earlier may contain v: substitute its value there, too.
      for (auto& known : values_) {
        if (known) known = resolved(*known);
      }
      equation.used = true;
      break;
    }
  }
}

}  // namespace tessera::detail
