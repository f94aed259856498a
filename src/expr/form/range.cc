// SPDX-License-Identifier: Apache-2.0
#include "expr/form/range.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "expr/form/digit_view.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

// Quotients of a form, at most kLimits.quotients of them.
struct Quotients {
  std::array<const FormAtom*, kLimits.quotients> atoms;
  std::size_t size = 0;
};

Quotients quotients_by_divisor_descending(const Form* form) {
  Quotients out;
  for (const Term& t : form->terms()) {
    if (t.atom->kind != FormAtomKind::quotient) continue;
    if (out.size == kLimits.quotients) break;
    std::size_t at = out.size++;
    for (; at > 0 && out.atoms[at - 1]->number < t.atom->number; --at) out.atoms[at] = out.atoms[at - 1];
    out.atoms[at] = t.atom;
  }
  return out;
}

// The range of R = M - n*fl(M/n) by the facts.
Interval remainder_range(Workspace& ws, const FormAtom* q) {
  const Interval all{0, q->number - 1};
  const auto may_bound = [&](const Fact& fact) { return (fact.form->mask & ~q->mask) == 0; };
  if (std::ranges::none_of(ws.facts, may_bound)) return all;
  Sum remainder(ws, q->form);
  remainder.add(-q->number, q);
  if (remainder.overflowed()) return all;
  return intersect(all, range(ws, remainder.intern())).value_or(all);
}

// Rational elimination: fl(M/n) = (M - R)/n with R in [0, n-1]. Replaces a quotient if the rational width of
// the whole form does not grow: x - fl((x+3)/4) becomes (3x - 3 + R)/4, for which interval arithmetic gives
// tight bounds.
Interval eliminated_range(Workspace& ws, const Form* form) {
  WideRange best = plain_range(ws, form->constant, form->terms());
  const Quotients quotients = quotients_by_divisor_descending(form);
  Sum sum(ws, form);
  WideRange remainders;  // the contributions of all R, scaled like `sum`
  Index scale = 1;
  constexpr __int128 kWidest = kLimits.scale;
  for (std::size_t i = 0; i < quotients.size; ++i) {
    const FormAtom* q = quotients.atoms[i];
    const Index k = sum.coefficient(q);
    if (k == 0 || k == kIndexMin) continue;
    const auto is_beside = [&](const Term& t) { return sum.coefficient(t.atom) != 0; };
    if (std::ranges::none_of(q->form->terms(), is_beside)) continue;  // nothing would cancel
    const Index n = q->number;
    const Index g = std::gcd(k, n);
    Index next_scale = 0;
    if (mul_overflows(scale, n / g, next_scale) || next_scale > kWidest) continue;
    Sum next = sum;
    next.take(q);
    next.scale(n / g);
    next.add(k / g, q->form);
    if (next.overflowed()) continue;
    WideRange next_remainders = remainders;
    next_remainders.scale(n / g);
    next_remainders.add(-(k / g), remainder_range(ws, q));
    WideRange total = plain_range(ws, next.constant(), next.terms());
    if (!next_remainders.finite() || next_remainders.width() > kWidest) continue;
    total.add(1, next_remainders.interval());
    if (!total.finite() || total.width() > kWidest * 2) continue;
    if (best.finite() && (best.width() > kWidest || total.width() * scale > best.width() * next_scale))
      continue;
    sum = next;
    remainders = next_remainders;
    best = total;
    scale = next_scale;
  }
  return best.divided(scale);
}

void narrow(Workspace& ws, Interval& r, Interval by) {
  if (const auto common = intersect(r, by)) {
    r = *common;
  } else {
    ws.infeasible = true;  // two sound ranges are disjoint, so the domain has no point
  }
}

// Subtracts t * F from the rest, where a fact bounds F; false if the rest does not contain a multiple of F.
bool take_out(Sum& rest, WideRange& taken, const Fact& fact) {
  const Index t = multiple_of(rest.terms(), fact.form);
  if (t == 0) return false;
  Sum next = rest;
  next.add(-t, fact.form);
  if (next.overflowed()) return false;
  taken.add(t, fact.range);
  rest = next;
  return true;
}

// s * form = t * F + rest with an integer s > 1, where a fact bounds F and the rest has fewer terms than
// both.
void narrow_by_scaled(Workspace& ws, const Form* form, const Fact& fact, Interval& r) {
  for (const Term& own : fact.form->terms()) {
    if (own.coefficient == 1 || own.coefficient == -1 || own.coefficient == kIndexMin) continue;
    const Index k = coefficient(form, own.atom);
    if (k == 0 || k == kIndexMin) continue;
    const Index g = std::gcd(k, own.coefficient);
    const Index s = std::abs(own.coefficient) / g;
    if (s == 1) continue;
    const Index t = (own.coefficient < 0 ? -k : k) / g;
    Sum rest(ws);
    rest.add(s, form);
    rest.add(-t, fact.form);
    if (rest.overflowed()) continue;
    WideRange total = plain_range(ws, rest.constant(), rest.terms());
    WideRange taken;
    taken.add(t, fact.range);
    total.add(taken);
    narrow(ws, r, total.divided(s));
  }
}

// For each fact of which the form contains a multiple: subtracts it, then subtracts other facts from the
// rest.
void narrow_by_facts(Workspace& ws, const Form* form, Interval& r) {
  ws.spend(ws.facts.size() / 16);
  for (const Fact& fact : ws.facts) {
    if ((fact.form->mask & ~form->mask) != 0 || fact.form->size > form->size) continue;
    ws.spend(fact.form->size / 4);
    narrow_by_scaled(ws, form, fact, r);
    Sum rest(ws, form);
    WideRange taken;
    if (!take_out(rest, taken, fact)) continue;
    for (const Fact& other : ws.facts) {
      if (rest.size() == 0) break;
      if (&other != &fact && (other.form->mask & ~form->mask) == 0) take_out(rest, taken, other);
    }
    WideRange total = plain_range(ws, rest.constant(), rest.terms());
    total.add(taken);
    narrow(ws, r, total.interval());
  }
}

// k * max0(D) + R has the value of R or of R + k * D.
void narrow_by_max0(Workspace& ws, const Form* form, Interval& r) {
  if (form->size > kLimits.max0_terms) return;
  for (const Term& t : form->terms()) {
    if (t.atom->kind != FormAtomKind::max0) continue;
    Sum without(ws, form);
    without.take(t.atom);
    Sum with = without;
    with.add(t.coefficient, t.atom->form);
    if (with.overflowed()) continue;
    narrow(ws, r, hull(range(ws, without.intern()), range(ws, with.intern())));
  }
}

Interval atom_range(Workspace& ws, const FormAtom* a) {
  switch (a->kind) {
    case FormAtomKind::variable:
      return ws.variables[a->variable].bounds;
    case FormAtomKind::quotient:
      return tessera::floor_div(range(ws, a->form), a->number);
    case FormAtomKind::max0:
      return max(range(ws, a->form), Interval::point(0));
    case FormAtomKind::product: {
      const Interval product = range(ws, a->left) * range(ws, a->right);
      return a->left == a->right ? max(product, Interval::point(0)) : product;
    }
    case FormAtomKind::scaled: {
      const Interval b = ws.variables[a->variable].bounds;
      WideRange shifted(0);
      shifted.add(1, b);
      shifted.add(-1, Interval::point(a->residue));
      return shifted.divided(a->number);
    }
    case FormAtomKind::operation:
      return operation_range(a->op, range(ws, a->form), range(ws, a->right_form));
    case FormAtomKind::overflow:
      return {};
  }
  return {};
}

}  // namespace

bool narrow_range(Workspace& ws, Index constant, std::span<const Term> terms, Interval& out) {
  Index lower = constant;
  Index upper = constant;
  for (const Term& t : terms) {
    const Interval r = range(ws, t.atom);
    Index low = t.coefficient > 0 ? r.lower : r.upper;
    Index high = t.coefficient > 0 ? r.upper : r.lower;
    if (!r.is_finite() || mul_overflows(t.coefficient, low, low) ||
        mul_overflows(t.coefficient, high, high) || add_overflows(lower, low, lower) ||
        add_overflows(upper, high, upper)) [[unlikely]] {
      return false;
    }
  }
  out = {lower, upper};
  return out.is_finite();
}

WideRange plain_range(Workspace& ws, Index constant, std::span<const Term> terms) {
  Interval narrow;
  if (narrow_range(ws, constant, terms, narrow)) return WideRange(narrow.lower, narrow.upper);
  WideRange sum(constant);
  for (const Term& t : terms) sum.add(t.coefficient, range(ws, t.atom));
  return sum;
}

namespace {

// floor(a / b) for divisors on one side of 0. The quotient is monotone in each operand, so the corners bound
// it; for an infinite divisor it tends to 0 or -1.
Interval quotient_range(Interval a, Interval b) {
  const auto [small, large] = b.lower > 0 ? std::pair(b.lower, b.upper) : std::pair(b.upper, b.lower);
  const bool infinite = large == kPosInf || large == kNegInf;
  return hull(tessera::floor_div(a, small), infinite ? Interval{-1, 0} : tessera::floor_div(a, large));
}

// floor(a / b) where it has a value.
Interval floor_div_range(Interval a, Interval b) {
  if (b.is_point() && b.lower != 0) return tessera::floor_div(a, b.lower);
  const auto negative = intersect(b, {kNegInf, -1});
  const auto positive = intersect(b, {1, kPosInf});
  if (!negative) return positive ? quotient_range(a, *positive) : Interval{};
  const Interval below = quotient_range(a, *negative);
  return positive ? hull(below, quotient_range(a, *positive)) : below;
}

Interval mod_range(Interval a, Interval b) {
  if (b.is_point() && b.lower != 0) return tessera::mod(a, b.lower);
  if (b.lower > 0 && a.lower >= 0 && a.upper < b.lower) return a;
  if (b.lower == kNegInf || b.upper == kPosInf) return {0, kPosInf};
  const Index largest = std::max(b.upper, -b.lower);
  return {0, std::max<Index>(largest - 1, 0)};
}

}  // namespace

Interval operation_range(ExprKind op, Interval a, Interval b) {
  switch (op) {
    case ExprKind::add:
      return a + b;
    case ExprKind::mul:
      return a * b;
    case ExprKind::min:
      return min(a, b);
    case ExprKind::max:
      return max(a, b);
    case ExprKind::floor_div:
      return floor_div_range(a, b);
    case ExprKind::ceil_div:
      return -floor_div_range(-a, b);
    case ExprKind::mod:
      return mod_range(a, b);
    default:
      return {};
  }
}

Interval find_range(Workspace& ws, const FormAtom* atom) {
  const Interval r = atom_range(ws, atom);
  atom->range = r;
  atom->range_stamp = ws.generation;
  return r;
}

Interval find_range(Workspace& ws, const Form* form) {
  Interval r;
  if (!narrow_range(ws, form->constant, form->terms(), r))
    r = plain_range(ws, form->constant, form->terms()).interval();
  // While the range is being refined, a request for this form gets the plain range, which is sound.
  form->range = r;
  form->range_stamp = ws.generation;
  if (form->size < 2 || r.is_point() || ws.exhausted) return r;
  if (form->quotients > 0) {
    const DigitView& view = digit_view(ws, form);
    if (view.split) narrow(ws, r, view.range().interval());
    // The range of one digit is exact.
    if (!view.split || view.size > 1) narrow(ws, r, eliminated_range(ws, form));
  }
  if (form->has_max0) narrow_by_max0(ws, form, r);
  if (!ws.facts.empty()) narrow_by_facts(ws, form, r);
  form->range = r;
  return r;
}

}  // namespace tessera::detail
