// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/linear_constraint.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/modular.h"
#include "expr/form/digit_view.h"
#include "expr/form/floor_div.h"
#include "expr/form/upper_halves.h"
#include "expr/limits.h"
#include "map/congruence.h"
#include "map/simplify/bounds.h"

namespace tessera::detail {

bool strip(Workspace& ws, LinearConstraint& c) {
  Index g = 0;
  for (const Term& t : c.form->terms()) {
    g = std::gcd(g, t.coefficient);
    if (g == 1) break;
  }
  const Index lower = scaled_down(shifted(ws, c.range.lower, c.form->constant), g, true);
  const Index upper = scaled_down(shifted(ws, c.range.upper, c.form->constant), g, false);
  if (lower > upper) return false;
  c.range = {lower, upper};
  if (c.form->terms()[0].coefficient < 0) {
    g = -g;
    c.range = -c.range;
  }
  if (g == 1 && c.form->constant == 0) return true;
  Sum sum(ws);
  for (const Term& t : c.form->terms()) sum.append(t.coefficient / g, t.atom);
  c.form = sum.intern();
  return true;
}

namespace {

// Recognizes k*x - n*fl((k*x+b)/n) = v, times any factor: the digit y = k*x + b - n*fl(..) is v + b, so
// x = (v / k) mod n.
bool extract_congruence(Workspace& ws, BoundPropagation& bounds, const LinearConstraint& c,
                        ConstraintEffect& effect) {
  if (!c.range.is_point() || c.form->size != 2) return false;
  const Term* linear = &c.form->terms()[0];
  const Term* q = &c.form->terms()[1];
  if (linear->atom->kind == FormAtomKind::quotient) std::swap(linear, q);
  if (q->atom->kind != FormAtomKind::quotient) return false;
  if (linear->atom->kind != FormAtomKind::variable && linear->atom->kind != FormAtomKind::scaled)
    return false;
  const Form* inside = q->atom->form;
  const Index n = q->atom->number;
  if (inside->size != 1 || inside->terms()[0].atom != linear->atom) return false;
  const Index k = inside->terms()[0].coefficient;
  if (std::gcd(k, n) != 1 || q->coefficient % n != 0) return false;
  const Index s = -(q->coefficient / n);
  Index product = 0;
  if (mul_overflows(s, k, product) || product != linear->coefficient) return false;
  if (c.range.lower % s != 0) {
    effect = ConstraintEffect::empties;
    return true;
  }
  const Index v = c.range.lower / s;
  Index digit = 0;
  if (add_overflows(v, inside->constant, digit) || digit < 0 || digit >= n) {
    effect = ConstraintEffect::empties;
    return true;
  }
  const auto residue =
      static_cast<Index>(static_cast<__int128>(tessera::mod(v, n)) * modular_inverse(k, n) % n);
  const VariableState& x = ws.variables[linear->atom->variable];
  if (linear->atom->kind == FormAtomKind::variable && x.modulus != 1)
    return false;  // stale: rebuilt next round
  if (linear->atom->kind == FormAtomKind::scaled &&
      (x.modulus != linear->atom->number || x.residue != linear->atom->residue)) {
    return false;
  }
  // x0 = m*x + r with x = n*q + residue.
  const Index m = linear->atom->kind == FormAtomKind::scaled ? linear->atom->number : 1;
  const Index r = linear->atom->kind == FormAtomKind::scaled ? linear->atom->residue : 0;
  Index modulus = 0;
  Index whole = 0;
  if (mul_overflows(m, n, modulus) || modulus > kLimits.modulus || mul_overflows(m, residue, whole) ||
      add_overflows(whole, r, whole)) {
    return false;
  }
  const bool left = bounds.set_congruence(linear->atom->variable, modulus, tessera::mod(whole, modulus));
  effect = left ? ConstraintEffect::none : ConstraintEffect::empties;
  return true;
}

// The interval [m*q + l, m*q + u] if `reached` intersects it for only one q.
std::optional<Interval> only_block(Interval reached, Index m, Interval allowed) {
  if (!reached.is_finite()) return std::nullopt;
  std::optional<Interval> only;
  const Index last = tessera::floor_div(reached.upper, m);
  for (Index q = tessera::floor_div(reached.lower, m); q <= last; ++q) {
    const Interval block = multiplied({q, q}, m, allowed.lower, allowed.upper);
    if (!block.intersects(reached)) continue;
    if (only) return std::nullopt;  // so this takes at most three steps
    only = block;
  }
  return only;
}

// The form with each coefficient replaced by the residue modulo m that is nearest to 0.
const Form* nearest_residues(Workspace& ws, const Form* form, Index m) {
  Sum sum(ws);
  for (const Term& t : form->terms()) {
    const Index r = tessera::mod(t.coefficient, m);
    if (r != 0) sum.append(r > m / 2 ? r - m : r, t.atom);
  }
  sum.set_constant(form->constant);
  return sum.intern();
}

// Replaces x mod m in [l, u] by x in [m*q + l, m*q + u] if x can lie there for only one q.
bool fix_quotient(Workspace& ws, LinearConstraint& c) {
  if (c.form->quotients == 0) return false;
  const DigitView& view = digit_view(ws, c.form);
  if (!view.split || view.size != 1) return false;
  const ViewItem& digit = view.items[0];
  if ((digit.factor != 1 && digit.factor != -1) || !c.range.is_finite()) return false;
  Interval allowed;
  if (sub_overflows(c.range.lower, view.constant, allowed.lower) ||
      sub_overflows(c.range.upper, view.constant, allowed.upper)) {
    return false;
  }
  if (digit.factor < 0) allowed = -allowed;
  for (const Form* const x : {digit.base, nearest_residues(ws, digit.base, digit.modulus)}) {
    const auto only = only_block(range(ws, x), digit.modulus, allowed);
    if (!only || x->is_constant()) continue;
    c = {x, *only};
    return true;
  }
  return false;
}

// Whether all terms are multiples of variables, but for one quotient with the factor 1 or -1. A scaled
// variable with such a factor counts as well: it is a quotient until its congruence is known.
bool has_one_unit_quotient(const Sum& sum) {
  int quotients = 0;
  for (const Term& t : sum.terms()) {
    const bool is_unit = t.coefficient == 1 || t.coefficient == -1;
    if (!is_linear(t.atom) && (!is_unit || t.atom->kind != FormAtomKind::quotient)) return false;
    if (is_unit && t.atom->kind != FormAtomKind::variable) ++quotients;
  }
  return quotients == 1;
}

}  // namespace

bool absorb_quotient(Workspace& ws, LinearConstraint& c) {
  const Term* chosen = nullptr;
  for (const Term& t : c.form->terms()) {
    if (t.atom->kind != FormAtomKind::quotient || (t.coefficient != 1 && t.coefficient != -1)) continue;
    if (chosen == nullptr || t.atom->number < chosen->atom->number) chosen = &t;
  }
  if (chosen == nullptr || !c.range.is_finite()) return false;
  const Index n = chosen->atom->number;
  Sum sum(ws, c.form);
  sum.take(chosen->atom);
  sum.scale(n);
  sum.add(chosen->coefficient, chosen->atom->form);
  if (chosen->coefficient < 0) sum.add_constant(n - 1);
  Index lower = 0;
  Index upper = 0;
  if (sum.overflowed() || mul_overflows(c.range.lower, n, lower) || mul_overflows(c.range.upper, n, upper) ||
      add_overflows(upper, n - 1, upper) || lower == kNegInf || upper == kPosInf) {
    return false;  // the bounds would be mistaken for infinity
  }
  c = {sum.intern(), {lower, upper}};
  return true;
}

ConstraintEffect drop_fine(Workspace& ws, LinearConstraint& c, Interval reached, bool& changed) {
  const DigitView& view = digit_view(ws, c.form);
  const bool low_counts = c.range.lower > reached.lower;
  const bool high_counts = c.range.upper < reached.upper;
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
    WideRange fine(view.constant);
    Sum fine_sum(ws);
    Sum coarse(ws);
    bool any_fine = view.constant != 0;
    const ViewItem* single = nullptr;  // the only item of the fine part
    int fine_items = 0;
    fine_sum.set_constant(view.constant);
    for (const ViewItem& item : view.span()) {
      if (item.factor % g == 0) {
        add(coarse, item.factor / g, item);
      } else {
        fine.add(item.factor, item.range);
        if (!ws.facts.empty()) add(fine_sum, item.factor, item);
        any_fine = true;
        single = &item;
        ++fine_items;
      }
    }
    if (!any_fine || coarse.size() == 0 || coarse.overflowed() || !fine.finite()) continue;
    Interval b = fine.interval();
    if (!b.is_finite()) continue;
    if (!ws.facts.empty() && !fine_sum.overflowed()) {
      const auto by_facts = intersect(b, range(ws, fine_sum.intern()));
      if (!by_facts) return ConstraintEffect::empties;
      b = *by_facts;
    }
    // The bounds of A where B is smallest and where it is largest.
    const auto bounds = [&](Index fine_value) {
      return Interval{low_counts ? tessera::ceil_div(shifted(ws, c.range.lower, fine_value), g) : kNegInf,
                      high_counts ? tessera::floor_div(shifted(ws, c.range.upper, fine_value), g) : kPosInf};
    };
    Interval next = bounds(b.lower);
    const Interval at_most = bounds(b.upper);
    if (next != at_most) {
      // If B has two values, the bounds of A are linear in it. Done only where it makes an equation or lets
      // the only quotient be absorbed: otherwise the longer sum is what the map reads.
      const Index low_step = low_counts ? at_most.lower - next.lower : at_most.upper - next.upper;
      const Index high_step = high_counts ? at_most.upper - next.upper : low_step;
      if (fine_items != 1 || low_step != high_step || single->range.lower + 1 != single->range.upper)
        continue;
      // Each step of the item moves B up by its factor, so for a negative one down.
      const Index k = single->factor > 0 ? low_step : -low_step;
      const Index start = single->factor > 0 ? single->range.lower : single->range.upper;
      Index shift = 0;
      if (mul_overflows(k, start, shift)) continue;
      add(coarse, -k, *single);
      coarse.add_constant(shift);
      if (!next.is_point() && !has_one_unit_quotient(coarse)) continue;
      if (coarse.overflowed() || coarse.size() == 0) continue;
    }
    if (next.lower > next.upper) return ConstraintEffect::empties;
    c = {coarse.intern(), next};
    changed = true;
    return ConstraintEffect::narrows;
  }
  return ConstraintEffect::narrows;
}

std::optional<LinearConstraint> split_off_digit(Workspace& ws, LinearConstraint& c) {
  if (c.form->quotients == 0) return std::nullopt;
  const DigitView& view = digit_view(ws, c.form);
  if (!view.split || view.size < 2) return std::nullopt;
  const WideRange all = view.range();
  for (const ViewItem& item : view.span()) {
    if (item.base == nullptr || item.range.is_point()) continue;
    const auto left = all.left_for(item.factor, item.range, c.range);
    if (!left) return std::nullopt;
    const auto value = intersect(*left, item.range);
    if (!value || !value->is_point()) continue;
    Sum rest(ws, c.form);
    add(rest, -item.factor, item);
    Index shift = 0;
    if (rest.overflowed() || rest.size() == 0 || mul_overflows(item.factor, value->lower, shift))
      return std::nullopt;
    rest.add_constant(shift);
    if (rest.overflowed()) return std::nullopt;
    c.form = rest.intern();
    return LinearConstraint{item.digit, *value};
  }
  return std::nullopt;
}

ConstraintEffect normalize(Workspace& ws, BoundPropagation& bounds, LinearConstraint& c) {
  for (int step = 0; step < kLimits.normalizations; ++step) {
    c.form = merge_pairs(ws, c.form);
    if (c.form->is_constant())
      return c.range.contains(c.form->constant) ? ConstraintEffect::none : ConstraintEffect::empties;
    if (!strip(ws, c)) return ConstraintEffect::empties;
    const Interval reached = range(ws, c.form);
    if (c.range.contains(reached)) return ConstraintEffect::none;
    const auto clipped = intersect(c.range, reached);
    if (!clipped) return ConstraintEffect::empties;
    c.range = *clipped;
    const Term& first = c.form->terms()[0];
    if (c.form->size == 1) {
      switch (first.atom->kind) {
        case FormAtomKind::variable:
        case FormAtomKind::scaled:
          return bounds.tighten(first.atom, c.range) ? ConstraintEffect::none : ConstraintEffect::empties;
        case FormAtomKind::quotient: {
          const Index n = first.atom->number;
          const Interval inside = multiplied(c.range, n, 0, n - 1);
          if (inside.is_finite() != c.range.is_finite())
            return ConstraintEffect::narrows;  // keep the constraint, because a bound overflowed to infinity
          c = {first.atom->form, inside};
          continue;
        }
        case FormAtomKind::max0:
          if (c.range.upper < 0) return ConstraintEffect::empties;
          c = {first.atom->form, {c.range.lower > 0 ? c.range.lower : kNegInf, c.range.upper}};
          continue;
        default:
          return ConstraintEffect::narrows;
      }
    }
    ConstraintEffect effect = ConstraintEffect::narrows;
    if (extract_congruence(ws, bounds, c, effect)) return effect;
    if (absorb_quotient(ws, c) || fix_quotient(ws, c)) continue;
    bool changed = false;
    effect = drop_fine(ws, c, reached, changed);
    if (effect == ConstraintEffect::empties) return effect;
    if (changed) continue;
    return ConstraintEffect::narrows;
  }
  return ConstraintEffect::narrows;
}

}  // namespace tessera::detail
