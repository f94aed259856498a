// SPDX-License-Identifier: Apache-2.0
#include "map/constraint_system.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "expr/convert.h"
#include "expr/digit_view.h"
#include "expr/fits.h"
#include "expr/floor_div.h"
#include "expr/spell.h"
#include "map/plane_points.h"

namespace tessera::detail {
namespace {

constexpr int kMostRounds = 40;
constexpr int kMostRestarts = 4;
constexpr int kDeepestTightening = 8;
constexpr std::size_t kMostForRedundancy = 12;

// bound - c, infinity stays.
Index shifted(Index bound, Index c) {
  if (bound == kNegInf || bound == kPosInf) return bound;
  Index out = 0;
  // The ends of 64 bits stand for no bound, also when the sign turns.
  if (sub_overflows(bound, c, out) || out >= kPosInf || out <= -kPosInf) throw Overflow{};
  return out;
}

Index scaled_down(Index bound, Index g, bool lower) {  // g > 0
  if (bound == kNegInf || bound == kPosInf) return bound;
  return lower ? tessera::ceil_div(bound, g) : tessera::floor_div(bound, g);
}

Index saturating_mul_add(Index a, Index m, Index c) {
  if (a == kNegInf || a == kPosInf) return a;
  const __int128 out = static_cast<__int128>(a) * m + c;
  if (out <= kNegInf) return kNegInf;
  return out >= kPosInf ? kPosInf : static_cast<Index>(out);
}

// What a * m + c and b * m + d allow, m > 0. A bound beyond 64 bits on its far side is loosened, so that it
// is never read as none.
Interval multiplied(Interval r, Index m, Index c, Index d) {
  return {std::min(saturating_mul_add(r.lower, m, c), kPosInf - 1),
          std::max(saturating_mul_add(r.upper, m, d), kNegInf + 1)};
}

// An upper end -2^63 and a lower end 2^63 - 1 are bounds, but everywhere in here such an end is infinite.
bool ends_read_as_infinite(Interval r) { return r.upper == kNegInf || r.lower == kPosInf; }

// The inverse of k modulo n; gcd(k, n) = 1, n >= 2.
Index inverse(Index k, Index n) {
  __int128 r0 = n, r1 = tessera::mod(k, n), s0 = 0, s1 = 1;
  while (r1 != 0) {
    const __int128 q = r0 / r1;
    r0 -= q * r1;
    std::swap(r0, r1);
    s0 -= q * s1;
    std::swap(s0, s1);
  }
  return static_cast<Index>(s0 < 0 ? s0 + n : s0);
}

// The bounds that the other summands leave for each: sum in `range`, summand i is factor[i] * r[i].
class Others {
 public:
  explicit Others(Index constant) : lower_(constant), upper_(constant) {}
  void add(Index factor, Interval r) {
    const auto [lower, upper] = ends(factor, r);
    infinite_lower_ += lower == kInfinite;
    infinite_upper_ += upper == kInfinite;
    if (lower != kInfinite) lower_ += lower;
    if (upper != kInfinite) upper_ += upper;
  }

  // Values of the summand's form, given its own range; nullopt when there are none.
  std::optional<Interval> left_for(Index factor, Interval r, Interval range) const {
    const auto [lower, upper] = ends(factor, r);
    // factor * x in [range.lower - others.upper, range.upper - others.lower]
    const bool no_low = range.lower == kNegInf || infinite_upper_ - (upper == kInfinite) > 0;
    const bool no_high = range.upper == kPosInf || infinite_lower_ - (lower == kInfinite) > 0;
    const __int128 low = range.lower - (upper_ - (upper == kInfinite ? 0 : upper));
    const __int128 high = range.upper - (lower_ - (lower == kInfinite ? 0 : lower));
    Index a = kNegInf;
    Index b = kPosInf;
    if (!no_low)
      (factor > 0 ? a : b) = factor > 0 ? saturate(ceil(low, factor)) : saturate(floor(low, factor));
    if (!no_high)
      (factor > 0 ? b : a) = factor > 0 ? saturate(floor(high, factor)) : saturate(ceil(high, factor));
    return Interval::make(std::min(a, kPosInf - 1), std::max(b, kNegInf + 1));
  }

 private:
  // Ends beyond this count as infinite, so that sums of them fit.
  static constexpr __int128 kInfinite = __int128{1} << 110;

  static std::pair<__int128, __int128> ends(Index factor, Interval r) {
    const auto end = [&](Index bound) {
      if (bound == kNegInf || bound == kPosInf) return kInfinite;
      const __int128 product = static_cast<__int128>(factor) * bound;
      return product >= kInfinite || product <= -kInfinite ? kInfinite : product;
    };
    return factor > 0 ? std::pair(end(r.lower), end(r.upper)) : std::pair(end(r.upper), end(r.lower));
  }
  static __int128 floor(__int128 a, Index b) {
    const __int128 q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
  }
  static __int128 ceil(__int128 a, Index b) { return -floor(-a, b); }
  static Index saturate(__int128 v) {
    if (v <= kNegInf) return kNegInf;
    return v >= kPosInf ? kPosInf : static_cast<Index>(v);
  }

  __int128 lower_;
  __int128 upper_;
  int infinite_lower_ = 0;
  int infinite_upper_ = 0;
};

}  // namespace

ConstraintSystem::ConstraintSystem(Workspace& ws, const Domain& domain) : ws_(ws), domain_(domain) {
  sort_in(domain.constraints());
}

// Bounds that still move after so many rounds creep towards a limit that is far away, and a second run would
// take them further: those variables keep the bounds that they came with.
void ConstraintSystem::start_over() {
  frozen_.resize(ws_.variables.size());
  for (const std::uint32_t variable : moved_) frozen_[variable] = true;
  for (std::size_t i = 0; i < domain_.variable_count(); ++i) {
    ws_.variables[i] = VariableState{.bounds = domain_.variables()[i].bounds};
  }
  list_.clear();
  partial_.clear();
  ws_.changed();
  ++ws_.run;  // the bits that are remembered of texts held within narrower bounds
  sort_in(domain_.constraints());
}

void ConstraintSystem::sort_in(std::span<const Constraint> constraints) {
  list_.reserve(list_.size() + constraints.size());
  for (const Constraint& c : constraints) {
    const Form* form = convert(ws_, c.expr);
    if (ends_read_as_infinite(c.range) || (ws_.partial && may_be_undefined(c.expr)) || !fits(ws_, c.expr)) {
      partial_.push_back(c);
    } else {
      list_.push_back({form, c.range});
    }
  }
}

// A division by what may be 0.
bool ConstraintSystem::may_be_undefined(Expr e) {
  constexpr std::uint32_t kLargest = 4096;  // the walk visits shared parts again
  if (!e.is_binary()) return false;
  if (e.node_count() > kLargest) return true;
  const bool divides =
      e.kind() == ExprKind::floor_div || e.kind() == ExprKind::ceil_div || e.kind() == ExprKind::mod;
  if (divides && range(ws_, convert(ws_, e.rhs())).contains(Index{0})) return true;
  return may_be_undefined(e.lhs()) || may_be_undefined(e.rhs());
}

// Small boxes with such constraints are looked at point by point, like decide_by_points does for the others.
bool ConstraintSystem::partial_have_point() const {
  constexpr std::uint64_t kMostPoints = 1u << 16;
  std::uint64_t points = 1;
  std::vector<Index> values;
  for (const VariableState& v : ws_.variables) {
    const auto count = v.bounds.count();
    if (!count || static_cast<std::uint64_t>(*count) > kMostPoints ||
        (points *= static_cast<std::uint64_t>(*count)) > kMostPoints) {
      return true;
    }
    values.push_back(v.bounds.lower);
  }
  const auto holds = [&] {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const VariableState& v = ws_.variables[i];
      if (tessera::mod(values[i], v.modulus) != v.residue) return false;
    }
    return std::ranges::all_of(
               list_,
               [&](const LinearConstraint& c) { return c.range.contains(evaluate(c.form, values)); }) &&
           std::ranges::all_of(partial_, [&](const Constraint& c) {
             const auto value = tessera::evaluate(c.expr, values);
             return value && c.range.contains(*value);
           });
  };
  for (; points > 0; --points) {
    if (holds()) return true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i]++ < ws_.variables[i].bounds.upper) break;
      values[i] = ws_.variables[i].bounds.lower;
    }
  }
  return false;
}

bool ConstraintSystem::align(std::uint32_t variable) {
  VariableState& v = ws_.variables[variable];
  if (v.modulus <= 1) return true;
  Index lower = v.bounds.lower;
  Index upper = v.bounds.upper;
  if (lower != kNegInf) {
    Index difference = 0;
    if (sub_overflows(v.residue, lower, difference)) throw Overflow{};
    if (add_overflows(lower, tessera::mod(difference, v.modulus), lower)) return false;
  }
  if (upper != kPosInf) {
    Index difference = 0;
    if (sub_overflows(upper, v.residue, difference)) throw Overflow{};
    if (sub_overflows(upper, tessera::mod(difference, v.modulus), upper)) return false;
  }
  const auto aligned = Interval::make(lower, upper);
  if (!aligned) return false;
  environment_changed_ |= *aligned != v.bounds;
  v.bounds = *aligned;
  return true;
}

bool ConstraintSystem::tighten_variable(std::uint32_t variable, Interval range) {
  VariableState& v = ws_.variables[variable];
  const auto common = intersect(v.bounds, range);
  if (!common) return false;
  if (*common == v.bounds) return true;
  if (!frozen_.empty() && frozen_[variable]) return true;
  v.bounds = *common;
  environment_changed_ = true;
  if (last_round_) moved_.push_back(variable);
  return align(variable);
}

bool ConstraintSystem::tighten(const Atom* a, Interval r, int depth) {
  switch (a->kind) {
    case AtomKind::variable:
      return tighten_variable(a->variable, r);
    case AtomKind::scaled:
      return tighten_variable(a->variable, multiplied(r, a->number, a->residue, a->residue));
    case AtomKind::quotient:
      return tighten(a->form, multiplied(r, a->number, 0, a->number - 1), depth);
    case AtomKind::max0:
      if (r.upper < 0) return false;
      return tighten(a->form, {r.lower > 0 ? r.lower : kNegInf, r.upper}, depth);
    default:
      return true;
  }
}

// R + k * max0(D) is the larger (k < 0: the smaller) one of R and S = R + k * D: both keep to the upper
// (lower) bound, and where one cannot reach the other bound, the other one does.
bool ConstraintSystem::tighten_extrema(const Form* form, Interval allowed, int depth) {
  for (const Term& t : form->terms()) {
    if (t.atom->kind != AtomKind::max0) continue;
    Sum without(ws_, form);
    without.take(t.atom);
    Sum with = without;
    with.add(t.coefficient, t.atom->form);
    if (with.overflowed()) continue;
    const Form* const sides[2] = {without.intern(), with.intern()};
    const bool is_max = t.coefficient > 0;
    const Interval common = is_max ? Interval{kNegInf, allowed.upper} : Interval{allowed.lower, kPosInf};
    const Interval reached = is_max ? Interval{allowed.lower, kPosInf} : Interval{kNegInf, allowed.upper};
    for (const int i : {0, 1}) {
      if (!tighten(sides[i], common, depth + 1)) return false;
      if (!reached.intersects(range(ws_, sides[i])) && !tighten(sides[1 - i], reached, depth + 1))
        return false;
    }
  }
  return true;
}

bool ConstraintSystem::tighten(const Form* form, Interval allowed, int depth) {
  const Interval r = range(ws_, form);
  if (allowed.contains(r)) return true;
  if (!allowed.intersects(r)) return false;
  if (depth > kDeepestTightening) return true;
  Others others(form->constant);
  for (const Term& t : form->terms()) others.add(t.coefficient, range(ws_, t.atom));
  for (const Term& t : form->terms()) {
    const Interval own = range(ws_, t.atom);
    const auto left = others.left_for(t.coefficient, own, allowed);
    if (!left || !left->intersects(own)) return false;
    if (!left->contains(own) && !tighten(t.atom, *left, depth + 1)) return false;
  }
  if (form->has_max0 && !tighten_extrema(form, allowed, depth)) return false;
  if (form->quotients == 0) return true;
  const View& view = digit_view(ws_, form);
  if (!view.split) return true;
  Others digits(view.constant);
  for (const ViewItem& item : view.span()) digits.add(item.factor, item.range);
  for (const ViewItem& item : view.span()) {
    const auto left = digits.left_for(item.factor, item.range, allowed);
    if (!left || !left->intersects(item.range)) return false;
    if (!left->contains(item.range) && !tighten(item.form, *left, depth + 1)) return false;
  }
  return true;
}

// k*x - n*fl((k*x+b)/n) = v, times any factor: the digit y = k*x + b - n*fl(..) is v + b, so x = (v / k) mod
// n.
bool ConstraintSystem::extract_congruence(const LinearConstraint& c, Outcome& outcome) {
  if (!c.range.is_point() || c.form->size != 2) return false;
  const Term* linear = &c.form->terms()[0];
  const Term* q = &c.form->terms()[1];
  if (linear->atom->kind == AtomKind::quotient) std::swap(linear, q);
  if (q->atom->kind != AtomKind::quotient) return false;
  if (linear->atom->kind != AtomKind::variable && linear->atom->kind != AtomKind::scaled) return false;
  const Form* inside = q->atom->form;
  const Index n = q->atom->number;
  if (inside->size != 1 || inside->terms()[0].atom != linear->atom) return false;
  const Index k = inside->terms()[0].coefficient;
  if (std::gcd(k, n) != 1 || q->coefficient % n != 0) return false;
  const Index s = -(q->coefficient / n);
  Index product = 0;
  if (mul_overflows(s, k, product) || product != linear->coefficient) return false;
  if (c.range.lower % s != 0) {
    outcome = Outcome::empty;
    return true;
  }
  const Index v = c.range.lower / s;
  Index digit = 0;
  if (add_overflows(v, inside->constant, digit) || digit < 0 || digit >= n) {
    outcome = Outcome::empty;
    return true;
  }
  const auto residue = static_cast<Index>(static_cast<__int128>(tessera::mod(v, n)) * inverse(k, n) % n);
  VariableState& x = ws_.variables[linear->atom->variable];
  if (linear->atom->kind == AtomKind::variable && x.modulus != 1) return false;  // stale: rebuilt next round
  if (linear->atom->kind == AtomKind::scaled &&
      (x.modulus != linear->atom->number || x.residue != linear->atom->residue)) {
    return false;
  }
  // x0 = m*x + r with x = n*q + residue.
  const Index m = linear->atom->kind == AtomKind::scaled ? linear->atom->number : 1;
  const Index r = linear->atom->kind == AtomKind::scaled ? linear->atom->residue : 0;
  Index modulus = 0;
  Index whole = 0;
  constexpr Index kLargestModulus = Index{1} << 61;
  if (mul_overflows(m, n, modulus) || modulus > kLargestModulus || mul_overflows(m, residue, whole) ||
      add_overflows(whole, r, whole)) {
    return false;
  }
  x.modulus = modulus;
  x.residue = tessera::mod(whole, modulus);
  environment_changed_ = true;
  outcome = align(linear->atom->variable) ? Outcome::drop : Outcome::empty;
  return true;
}

// L = g*A + B in [l, u]: when every b in range(B) gives the same ceil((l-b)/g) and floor((u-b)/g), the
// constraint speaks of A only. A side that range(L) implies does not count.
ConstraintSystem::Outcome ConstraintSystem::drop_fine(LinearConstraint& c, Interval bounds, bool& changed) {
  const View& view = digit_view(ws_, c.form);
  const bool low_counts = c.range.lower > bounds.lower;
  const bool high_counts = c.range.upper < bounds.upper;
  std::array<Index, 16> candidates;
  std::size_t count = 0;
  for (const ViewItem& item : view.span()) {
    const Index g = item.factor < 0 ? -item.factor : item.factor;
    if (g > 1 && count < candidates.size() &&
        std::find(candidates.begin(), candidates.begin() + count, g) == candidates.begin() + count) {
      candidates[count++] = g;
    }
  }
  const std::size_t singles = count;
  for (std::size_t i = 0; i < singles; ++i) {
    for (std::size_t j = i + 1; j < singles && count < candidates.size(); ++j) {
      const Index g = std::gcd(candidates[i], candidates[j]);
      if (g > 1 &&
          std::find(candidates.begin(), candidates.begin() + count, g) == candidates.begin() + count) {
        candidates[count++] = g;
      }
    }
  }
  std::sort(candidates.begin(), candidates.begin() + count, std::greater<>());
  for (std::size_t i = 0; i < count; ++i) {
    const Index g = candidates[i];
    RangeSum fine(view.constant);
    Sum coarse(ws_);
    bool any_fine = view.constant != 0;
    for (const ViewItem& item : view.span()) {
      if (item.factor % g == 0) {
        coarse.add(item.factor / g, item.form);
      } else {
        fine.add(item.factor, item.range);
        any_fine = true;
      }
    }
    if (!any_fine || coarse.size() == 0 || coarse.overflowed() || !fine.finite()) continue;
    const Interval b = fine.interval();
    if (!b.is_finite()) continue;
    Interval next;
    if (low_counts) {
      const Index first = tessera::ceil_div(shifted(c.range.lower, b.upper), g);
      if (first != tessera::ceil_div(shifted(c.range.lower, b.lower), g)) continue;
      next.lower = first;
    }
    if (high_counts) {
      const Index last = tessera::floor_div(shifted(c.range.upper, b.upper), g);
      if (last != tessera::floor_div(shifted(c.range.upper, b.lower), g)) continue;
      next.upper = last;
    }
    if (next.lower > next.upper) return Outcome::empty;
    c = {coarse.intern(), next};
    changed = true;
    return Outcome::keep;
  }
  return Outcome::keep;
}

// No constant, no common factor, the first coefficient positive. False when no integer fits.
bool ConstraintSystem::strip(LinearConstraint& c) {
  Index g = 0;
  for (const Term& t : c.form->terms()) g = std::gcd(g, t.coefficient);
  const Index lower = scaled_down(shifted(c.range.lower, c.form->constant), g, true);
  const Index upper = scaled_down(shifted(c.range.upper, c.form->constant), g, false);
  if (lower > upper) return false;
  c.range = {lower, upper};
  if (c.form->terms()[0].coefficient < 0) {
    g = -g;
    c.range = -c.range;
  }
  if (g == 1 && c.form->constant == 0) return true;
  Sum sum(ws_);
  for (const Term& t : c.form->terms()) sum.append(t.coefficient / g, t.atom);
  c.form = sum.intern();
  return true;
}

ConstraintSystem::Outcome ConstraintSystem::normalise(LinearConstraint& c) {
  for (int step = 0; step < 64; ++step) {
    c.form = merge_pairs(ws_, c.form);
    if (c.form->is_constant()) return c.range.contains(c.form->constant) ? Outcome::drop : Outcome::empty;
    if (!strip(c)) return Outcome::empty;
    const Interval bounds = range(ws_, c.form);
    if (c.range.contains(bounds)) return Outcome::drop;
    const auto clipped = intersect(c.range, bounds);
    if (!clipped) return Outcome::empty;
    c.range = *clipped;
    const Term& first = c.form->terms()[0];
    if (c.form->size == 1) {
      switch (first.atom->kind) {
        case AtomKind::variable:
        case AtomKind::scaled:
          return tighten(first.atom, c.range, 0) ? Outcome::drop : Outcome::empty;
        case AtomKind::quotient: {
          const Index n = first.atom->number;
          const Interval inside = multiplied(c.range, n, 0, n - 1);
          if (inside.is_finite() != c.range.is_finite()) return Outcome::keep;  // it would be lost
          c = {first.atom->form, inside};
          continue;
        }
        case AtomKind::max0:
          if (c.range.upper < 0) return Outcome::empty;
          c = {first.atom->form, {c.range.lower > 0 ? c.range.lower : kNegInf, c.range.upper}};
          continue;
        default:
          return Outcome::keep;
      }
    }
    Outcome outcome = Outcome::keep;
    if (extract_congruence(c, outcome)) return outcome;
    if (absorb_quotient(c)) continue;
    bool changed = false;
    outcome = drop_fine(c, bounds, changed);
    if (outcome == Outcome::empty) return outcome;
    if (changed) continue;
    return Outcome::keep;
  }
  return Outcome::keep;
}

// rest + fl(M/n) = fl((n*rest + M)/n) in [l, u] speaks of n*rest + M in [l*n, u*n + n-1], and
// rest - fl(M/n) = rest + fl((-M + n-1)/n). Of several quotients the one with the smallest n goes.
bool ConstraintSystem::absorb_quotient(LinearConstraint& c) {
  const Term* chosen = nullptr;
  for (const Term& t : c.form->terms()) {
    if (t.atom->kind != AtomKind::quotient || (t.coefficient != 1 && t.coefficient != -1)) continue;
    if (chosen == nullptr || t.atom->number < chosen->atom->number) chosen = &t;
  }
  if (chosen == nullptr || !c.range.is_finite()) return false;
  const Index n = chosen->atom->number;
  Sum sum(ws_, c.form);
  sum.take(chosen->atom);
  sum.scale(n);
  sum.add(chosen->coefficient, chosen->atom->form);
  if (chosen->coefficient < 0) sum.add_constant(n - 1);
  Index lower = 0;
  Index upper = 0;
  if (sum.overflowed() || mul_overflows(c.range.lower, n, lower) || mul_overflows(c.range.upper, n, upper) ||
      add_overflows(upper, n - 1, upper) || lower == kNegInf || upper == kPosInf) {
    return false;  // the ends of 64 bits stand for no bound
  }
  c = {sum.intern(), {lower, upper}};
  return true;
}

void ConstraintSystem::sort() {
  std::ranges::sort(list_, [](const LinearConstraint& a, const LinearConstraint& b) {
    return compare_content(a.form, b.form) < 0;
  });
}

bool ConstraintSystem::merge_equal() {
  sort();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (kept > 0 && list_[kept - 1].form == list_[i].form) {
      const auto common = intersect(list_[kept - 1].range, list_[i].range);
      if (!common) return false;
      list_[kept - 1].range = *common;
    } else {
      list_[kept++] = list_[i];
    }
  }
  list_.resize(kept);
  return true;
}

bool ConstraintSystem::run_rounds() {
  for (int round = 0; round < kMostRounds; ++round) {
    environment_changed_ = false;
    last_round_ = round + 1 == kMostRounds;
    moved_.clear();
    bool changed = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      const LinearConstraint before_step = list_[i];
      LinearConstraint c = before_step;
      const Outcome outcome = normalise(c);
      if (outcome == Outcome::empty) return false;
      changed |= outcome == Outcome::drop || c.form != before_step.form || c.range != before_step.range;
      if (outcome == Outcome::keep) list_[kept++] = c;
    }
    list_.resize(kept);
    if (!merge_equal()) return false;
    changed |= kept != list_.size();
    for (const LinearConstraint& c : list_) {
      if (!tighten(c.form, c.range, 0)) return false;
    }
    if (ws_.infeasible) return false;
    if (environment_changed_) {
      ws_.changed();
      for (LinearConstraint& c : list_) c.form = rebuild(ws_, c.form);
    } else if (!changed) {
      return true;
    }
    if (last_round_ && !moved_.empty() && restarts_ < kMostRestarts) {
      ++restarts_;
      round = -1;
      start_over();
    }
  }
  return true;
}

bool ConstraintSystem::propagate() { return run_rounds(); }

// Each constraint, the largest first, against the others as facts; one at a time against the current list, so
// that nothing proves itself.
bool ConstraintSystem::drop_redundant(bool& replaced) {
  replaced = false;
  if (list_.size() < 2 || list_.size() > kMostForRedundancy) return true;
  std::ranges::sort(list_, [](const LinearConstraint& a, const LinearConstraint& b) {
    if (a.form->size != b.form->size) return a.form->size > b.form->size;
    if (a.form->quotients != b.form->quotients) return a.form->quotients > b.form->quotients;
    return compare_content(a.form, b.form) < 0;
  });
  for (std::size_t i = 0; i < list_.size();) {
    ws_.facts.clear();
    for (std::size_t j = 0; j < list_.size(); ++j) {
      if (j != i) ws_.facts.push_back({list_[j].form, list_[j].range});
    }
    ws_.changed();
    const Form* rebuilt = rebuild(ws_, list_[i].form);
    const Interval r = range(ws_, rebuilt);
    if (ws_.infeasible || !list_[i].range.intersects(r)) {
      ws_.facts.clear();
      ws_.changed();
      return false;
    }
    if (list_[i].range.contains(r)) {
      list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const bool shorter = rebuilt != list_[i].form && rebuilt->size <= list_[i].form->size &&
                         rebuilt->quotients <= list_[i].form->quotients &&
                         rebuilt->size + rebuilt->quotients < list_[i].form->size + list_[i].form->quotients;
    if (shorter) {
      list_[i].form = rebuilt;
      if (!strip(list_[i])) return false;
      replaced = true;
    }
    ++i;
  }
  ws_.facts.clear();
  ws_.changed();
  for (LinearConstraint& c : list_) c.form = rebuild(ws_, c.form);
  return true;
}

// What is printed is read again: a form that its own text improves goes once more through the rounds.
bool ConstraintSystem::reread() {
  bool changed = false;
  for (LinearConstraint& c : list_) {
    if (c.form->quotients == 0 && !c.form->has_max0) continue;
    const Form* again = convert(ws_, to_expr(ws_, spell(ws_, c.form)));
    changed |= again != c.form;
    c.form = again;
  }
  return changed;
}

// Linear constraints in two variables are decided exactly, each pair of variables on its own.
bool ConstraintSystem::pairs_have_points() const {
  constexpr std::size_t kMostPairs = 16;
  std::array<std::pair<const Atom*, const Atom*>, kMostPairs> seen;
  std::size_t seen_count = 0;
  const auto linear_pair = [](const LinearConstraint& c) {
    return c.form->size == 2 && std::ranges::all_of(c.form->terms(), [](const Term& t) {
             return t.atom->kind == AtomKind::variable || t.atom->kind == AtomKind::scaled;
           });
  };
  for (const LinearConstraint& c : list_) {
    if (!linear_pair(c) || seen_count == kMostPairs) continue;
    const std::pair pair(c.form->terms()[0].atom, c.form->terms()[1].atom);
    const auto known = std::span(seen).first(seen_count);
    if (std::ranges::find(known, pair) != known.end()) continue;
    seen[seen_count++] = pair;
    std::vector<HalfPlane> planes;
    planes.reserve(4 + 2 * list_.size());
    for (const auto& [atom, a, b] : {std::tuple(pair.first, 1, 0), std::tuple(pair.second, 0, 1)}) {
      const Interval r = range(ws_, atom);
      if (r.upper != kPosInf) planes.push_back({a, b, r.upper});
      if (r.lower != kNegInf) planes.push_back({-a, -b, -r.lower});
    }
    for (const LinearConstraint& d : list_) {
      if (!linear_pair(d) || d.form->terms()[0].atom != pair.first || d.form->terms()[1].atom != pair.second)
        continue;
      const Index a = d.form->terms()[0].coefficient;
      const Index b = d.form->terms()[1].coefficient;
      if (d.range.upper != kPosInf) planes.push_back({a, b, d.range.upper});
      if (d.range.lower != kNegInf) planes.push_back({-a, -b, -d.range.lower});
    }
    if (has_integer_point(planes) == false) return false;
  }
  return true;
}

bool ConstraintSystem::solve() {
  if (!solve_total()) return false;
  while (!partial_.empty()) {
    // Narrower variables may keep a divisor away from 0.
    const std::vector<Constraint> before = std::exchange(partial_, {});
    sort_in(before);
    if (partial_.size() == before.size()) return partial_have_point();
    if (!solve_total()) return false;
  }
  return true;
}

bool ConstraintSystem::solve_total() {
  for (int pass = 0; pass < 6; ++pass) {
    if (!run_rounds()) return false;
    if (list_.empty()) return true;
    if (reread()) continue;
    if (!pairs_have_points()) return false;
    bool replaced = false;
    if (!drop_redundant(replaced)) return false;
    if (replaced) continue;
    bool changed = false;
    sort();
    if (!decide_by_points(ws_, list_, changed)) return false;
    if (!changed && !reread()) break;
    ws_.changed();
    for (LinearConstraint& c : list_) c.form = rebuild(ws_, c.form);
  }
  sort();
  return true;
}

void ConstraintSystem::set_facts() {
  ws_.facts.clear();
  if (list_.empty()) return;
  std::vector<Fact> facts;
  facts.swap(ws_.facts);  // its memory; none of them is one yet
  for (const LinearConstraint& c : list_) {
    facts.push_back({c.form, c.range});
    // An aligned block: L in [l, l + w-1] with w | l is fl(L/w) = l/w.
    Index w = 0;
    if (!c.range.is_finite() || sub_overflows(c.range.upper, c.range.lower, w) || add_overflows(w, 1, w) ||
        w < 2 || c.range.lower % w != 0) {
      continue;
    }
    LinearConstraint block{divide(ws_, c.form, w), Interval::point(c.range.lower / w)};
    if (block.form->is_constant() || !strip(block)) continue;
    facts.push_back({block.form, block.range});
  }
  ws_.facts = std::move(facts);
  ws_.changed();
}

std::vector<Constraint> ConstraintSystem::written() {
  std::vector<Constraint> out;
  out.reserve(list_.size() + partial_.size());
  for (const LinearConstraint& c : list_) {
    const Form* text = spell(ws_, c.form);
    const Form* negated = affine(ws_, -1, text);
    Interval r = c.range;
    if (cost(negated) < cost(text)) {
      text = negated;
      r = -r;
    }
    Index g = 0;
    for (const Term& t : text->terms()) g = std::gcd(g, t.coefficient);
    if (text->size == 1 && text->terms()[0].coefficient < 0) g = -g;
    Sum sum(ws_);
    for (const Term& t : text->terms()) sum.append(t.coefficient / g, t.atom);
    Index lower = shifted(r.lower, text->constant);
    Index upper = shifted(r.upper, text->constant);
    if (g < 0) {
      r = -Interval{lower, upper};
      lower = r.lower;
      upper = r.upper;
      g = -g;
    }
    const Expr expr = to_expr(ws_, sum.intern());
    // A text that may leave 64 bits would lose points; those that were given do not, within these bounds.
    if (!fits(ws_, expr)) {
      as_written_ = true;
      return {domain_.constraints().begin(), domain_.constraints().end()};
    }
    out.push_back({expr, {scaled_down(lower, g, true), scaled_down(upper, g, false)}});
  }
  for (std::size_t i = 0; i < ws_.variables.size(); ++i) {
    const VariableState& v = ws_.variables[i];
    if (v.modulus <= 1 || v.bounds.is_point()) continue;
    out.push_back({mod(Expr::variable(static_cast<Index>(i)), v.modulus), Interval::point(v.residue)});
  }
  out.insert(out.end(), partial_.begin(), partial_.end());
  return out;
}

}  // namespace tessera::detail
