// SPDX-License-Identifier: Apache-2.0
#include "map/digit_solver.h"

#include <algorithm>

#include "expr/workspace.h"
#include "tessera/map/simplify.h"

namespace tessera::detail {
namespace {

std::size_t number(Index v) { return static_cast<std::size_t>(v); }

bool is_digit_part(Expr e) {
  return (e.kind() == ExprKind::floor_div || e.kind() == ExprKind::mod) && e.rhs().is_constant() &&
         e.rhs().value() > 0;
}

}  // namespace

bool DigitSolver::too_long() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 23;
  return Workspace::local().steps_taken() - begin_ > kMost;
}

DigitSolver::DigitSolver(const IndexMap& map)
    : map_(map), begin_(Workspace::local().steps_taken()), values_(map.variables().size()) {
  for (std::size_t v = 0; v < values_.size(); ++v) {
    const Interval bounds = map.variables()[v].bounds;
    if (map.domain().kind(v) == VariableKind::runtime) {
      values_[v] = Expr::variable(static_cast<Index>(v));  // given from outside
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

// Some variable of it is not known yet.
bool DigitSolver::open(Expr e) const {
  return std::ranges::any_of(variables(e),
                             [&](Index v) { return number(v) < values_.size() && !values_[number(v)]; });
}

// With known variables replaced by their values.
Expr DigitSolver::resolved(Expr e) const {
  std::vector<Expr> replacements;
  for (std::size_t v = 0; v < values_.size(); ++v) {
    replacements.push_back(values_[v].value_or(Expr::variable(static_cast<Index>(v))));
  }
  return substitute(e, replacements);
}

// e * factor as a sum of terms with distinct expressions; false when a factor leaves 64 bits.
bool DigitSolver::collect(Expr e, Index factor, std::vector<Term>& terms, Index& constant) const {
  if (e.is_constant()) {
    Index value = 0;
    return !mul_overflows(e.value(), factor, value) && !add_overflows(constant, value, constant);
  }
  if (e.kind() == ExprKind::add) {
    return collect(e.lhs(), factor, terms, constant) && collect(e.rhs(), factor, terms, constant);
  }
  if (e.kind() == ExprKind::mul && e.rhs().is_constant()) {
    return !mul_overflows(factor, e.rhs().value(), factor) && collect(e.lhs(), factor, terms, constant);
  }
  if (e.kind() == ExprKind::mod && e.rhs().is_constant(2) && e.lhs().kind() == ExprKind::add &&
      e.lhs().rhs().is_constant()) {
    // (x + odd) mod 2 = 1 - x mod 2: the shortest spelling of a reversed bit hides the bit.
    const bool odd = mod(e.lhs().rhs().value(), 2) == 1;
    if (odd && add_overflows(constant, factor, constant)) return false;
    if (odd && factor == kIndexMin) return false;
    return collect(mod(e.lhs().lhs(), 2), odd ? -factor : factor, terms, constant);
  }
  const auto same = std::ranges::find(terms, e, &Term::expr);
  if (same != terms.end()) return !add_overflows(same->factor, factor, same->factor);
  terms.push_back({factor, e});
  return true;
}

void DigitSolver::solve() {
  constexpr int kRounds = 64;    // each adds an equation or a value; more means a cycle
  constexpr int kClearings = 4;  // of one equation: each multiplies its numbers
  for (int round = 0; round < kRounds; ++round) {
    bool progress = false;
    for (std::size_t i = 0; i < equations_.size() && !too_long(); ++i) {
      if (equations_[i].used) continue;
      Equation equation = equations_[i];
      if (split(equation)) {
        equations_[i].used = true;
        progress = true;
      } else if (equation.clearings < kClearings && clear_quotient(equation)) {
        ++equation.clearings;
        equations_[i] = equation;
        progress = true;
      }
    }
    progress = join_digits() || progress;
    if (!progress) return;
  }
}

// (base floordiv divisor): every expression is one, with divisor 1 if need be.
struct Quotient {
  Expr base;
  Index divisor = 1;
};

Quotient quotient_of(Expr e) {
  if (e.kind() == ExprKind::floor_div && e.rhs().is_constant() && e.rhs().value() > 1)
    return {e.lhs(), e.rhs().value()};
  return {e, 1};
}

// If a sum has x / a and x / b with a dividing b, x / a is (x / b) * (b / a) + (x / a) mod (b /
// a): then all terms are different digits. Spelling a sum shortly hides digits in this way.
bool DigitSolver::separate_digits(std::vector<Term>& terms) const {
  int steps = 0;
  constexpr int kMaxSteps = 64;
  for (std::size_t i = 0; i < terms.size() && steps < kMaxSteps; ++i) {
    const Quotient fine = quotient_of(terms[i].expr);
    Index step = 0;
    for (const Term& term : terms) {
      const Quotient other = quotient_of(term.expr);
      Index found = 0;
      if (other.base == fine.base && other.divisor > fine.divisor && other.divisor % fine.divisor == 0) {
        found = other.divisor / fine.divisor;
      } else if (term.expr.kind() == ExprKind::mod && term.expr.lhs() == terms[i].expr &&
                 is_digit_part(term.expr)) {
        found = term.expr.rhs().value();
      }
      if (found > 1 && (step == 0 || found < step)) step = found;
    }
    if (step == 0) continue;
    ++steps;
    const Term whole = terms[i];
    terms[i].factor = 0;
    Index coarse = 0;
    Index factor = 0;
    Index unused = 0;
    if (mul_overflows(fine.divisor, step, coarse) || mul_overflows(whole.factor, step, factor) ||
        !collect(floor_div(fine.base, coarse), factor, terms, unused) ||
        !collect(mod(whole.expr, step), whole.factor, terms, unused)) {
      return false;
    }
    i = static_cast<std::size_t>(-1);
    std::erase_if(terms, [](const Term& term) { return term.factor == 0; });
  }
  return true;
}

// sum of factor * expr = right: when the terms are digits of a mixed radix, each is a quotient of what the
// larger ones leave over.
bool DigitSolver::split(Equation& equation) {
  std::vector<Term> terms;
  Index constant = 0;
  if (!collect(equation.left, 1, terms, constant) || !separate_digits(terms)) return false;
  struct Place {
    Index weight;
    Index count;  // values minus one
    Interval range;
    Term term;
  };
  std::vector<Place> places;
  Expr rest = equation.right;
  for (const Term& term : terms) {
    if (term.factor == 0) continue;
    if (!open(term.expr)) {
      rest = rest - resolved(term.expr) * term.factor;
      continue;
    }
    if (too_long()) return false;
    const Interval range = tessera::range(term.expr, map_.domain());
    if (!range.is_finite() || term.factor == kIndexMin) return false;
    const auto count = checked_sub(range.upper, range.lower);
    if (!count) return false;
    // Terms with negative factors count down from their upper end.
    Index start = 0;
    if (mul_overflows(term.factor, term.factor > 0 ? range.lower : range.upper, start) ||
        add_overflows(constant, start, constant)) {
      return false;
    }
    places.push_back({term.factor > 0 ? term.factor : -term.factor, *count, range, term});
  }
  if (places.empty()) return false;
  std::ranges::sort(places, [](const Place& a, const Place& b) { return a.weight < b.weight; });
  Index below = 0;  // largest sum of the smaller terms
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
    learn(place->term.expr,
          place->term.factor > 0 ? steps + place->range.lower : Expr::constant(place->range.upper) - steps);
  }
  return true;
}

// e has this value: a variable, or a digit of something.
void DigitSolver::learn(Expr e, Expr value) {
  if (e.is_variable()) {
    if (!values_[number(e.value())]) values_[number(e.value())] = value;
    return;
  }
  if (!is_digit_part(e)) return;  // nothing follows from min, max and products
  Digit digit{e.lhs(), 1, 0, value};
  if (e.kind() == ExprKind::mod) {
    digit.modulus = e.rhs().value();
    if (is_digit_part(digit.base) && digit.base.kind() == ExprKind::floor_div) {
      digit.divisor = digit.base.rhs().value();
      digit.base = digit.base.lhs();
    }
  } else {
    digit.divisor = e.rhs().value();
    // (x mod m) / d with d dividing m is the digit (x / d) mod (m / d)
    if (is_digit_part(digit.base) && digit.base.kind() == ExprKind::mod &&
        digit.base.rhs().value() % digit.divisor == 0) {
      digit.modulus = digit.base.rhs().value() / digit.divisor;
      digit.base = digit.base.lhs();
    }
  }
  digits_.push_back(digit);
}

// The value of (base floordiv divisor) mod (the digit's modulus), when the digit tells it: its own base may
// differ from `base` by a multiple of the period, and a last digit also by a constant.
std::optional<Expr> DigitSolver::digit_of(const Digit& digit, Expr base, Index divisor) const {
  if (digit.divisor != divisor) return std::nullopt;
  if (digit.base == base) return digit.value;
  Index period = 0;
  if (digit.modulus == 0 || mul_overflows(divisor, digit.modulus, period)) return std::nullopt;
  if (too_long()) return std::nullopt;
  const Expr shift = simplify(mod(base - digit.base, period), map_.domain());
  if (shift.is_constant(0)) return digit.value;
  if (divisor != 1 || !shift.is_constant()) return std::nullopt;
  return mod(digit.value + shift, digit.modulus);
}

// k * (z floordiv m) + rest = y, where z mod m = v is known, becomes k * z + m * rest = m * y + k * v.
bool DigitSolver::clear_quotient(Equation& equation) const {
  std::vector<Term> terms;
  Index constant = 0;
  if (!collect(equation.left, 1, terms, constant)) return false;
  for (const Term& term : terms) {
    const Quotient quotient = quotient_of(term.expr);
    if (quotient.divisor == 1 || !open(term.expr)) continue;
    const auto digit = std::ranges::find_if(digits_, [&](const Digit& d) {
      return d.base == quotient.base && d.divisor == 1 && d.modulus == quotient.divisor;
    });
    if (digit == digits_.end()) continue;
    Expr left = quotient.base * term.factor;
    for (const Term& other : terms) {
      Index factor = 0;
      if (mul_overflows(other.factor, quotient.divisor, factor)) return false;
      if (other.expr != term.expr) left = left + other.expr * factor;
    }
    equation.left = left;
    equation.right = (equation.right - constant) * quotient.divisor + digit->value * term.factor;
    return true;
  }
  return false;
}

// x = d0 + b0 * (d1 + b1 * (...)) for a complete chain of digits of x.
bool DigitSolver::join_digits() {
  bool progress = false;
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const Expr base = digits_[i].base;
    if (!open(base) || too_long()) continue;
    if (std::ranges::any_of(equations_, [&](const Equation& e) { return e.left == base; })) continue;
    Expr sum;
    Index place = 1;
    const Interval range = tessera::range(base, map_.domain());
    bool complete = false;
    while (!complete) {
      std::optional<Expr> digit;
      const auto next = std::ranges::find_if(digits_, [&](const Digit& d) {
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
        complete = range.lower >= 0 && range.upper < place;
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
  // Each elimination may let digits be read off in another equation.
  for (std::size_t i = 0; i < equations_.size(); ++i) {
    if (equations_[i].used) continue;
    const Expr left = resolved(equations_[i].left);
    std::vector<Term> terms;
    Index constant = 0;
    if (!collect(left, 1, terms, constant)) continue;
    for (const Term& term : terms) {
      if ((term.factor != 1 && term.factor != -1) || !term.expr.is_variable()) continue;
      const Index v = term.expr.value();
      if (number(v) >= values_.size() || values_[number(v)]) continue;
      const auto elsewhere = [&](const Term& other) {
        return other.expr != term.expr && std::ranges::binary_search(variables(other.expr), v);
      };
      if (std::ranges::any_of(terms, elsewhere)) continue;
      Expr value = equations_[i].right - constant;
      for (const Term& other : terms) {
        if (other.expr != term.expr) value = value - other.expr * other.factor;
      }
      value = resolved(value * term.factor);
      // Values found earlier may contain v: substitute its value there, too.
      values_[number(v)] = value;
      for (auto& known : values_) {
        if (known) known = resolved(*known);
      }
      equations_[i].used = true;
      break;
    }
  }
}

}  // namespace tessera::detail
