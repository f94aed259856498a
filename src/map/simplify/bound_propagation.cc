// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/bound_propagation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/form/range.h"
#include "expr/limits.h"
#include "map/simplify/bounds.h"

namespace tessera::detail {

void BoundPropagation::start_round(bool watch) {
  changed_ = false;
  watching_ = watch;
  moved_.clear();
}

void BoundPropagation::freeze_watched() {
  frozen_.resize(ws_.variables.size());
  for (const std::uint32_t variable : moved_) frozen_[variable] = true;
}

bool BoundPropagation::set_congruence(std::uint32_t variable, Index modulus, Index residue) {
  VariableState& v = ws_.variables[variable];
  v.modulus = modulus;
  v.residue = residue;
  changed_ = true;
  return align(variable);
}

// Moves the ends of the interval inward to values with the residue.
bool BoundPropagation::align(std::uint32_t variable) {
  VariableState& v = ws_.variables[variable];
  if (v.modulus <= 1) return true;
  Index lower = v.bounds.lower;
  Index upper = v.bounds.upper;
  if (lower != kNegInf) {
    Index difference = 0;
    ws_.overflowed |= sub_overflows(v.residue, lower, difference);
    if (add_overflows(lower, tessera::mod(difference, v.modulus), lower)) return false;
  }
  if (upper != kPosInf) {
    Index difference = 0;
    ws_.overflowed |= sub_overflows(upper, v.residue, difference);
    if (sub_overflows(upper, tessera::mod(difference, v.modulus), upper)) return false;
  }
  const auto aligned = Interval::make(lower, upper);
  if (!aligned) return false;
  changed_ |= *aligned != v.bounds;
  v.bounds = *aligned;
  return true;
}

bool BoundPropagation::tighten_variable(std::uint32_t variable, Interval range) {
  VariableState& v = ws_.variables[variable];
  const auto common = intersect(v.bounds, range);
  if (!common) return false;
  if (*common == v.bounds) return true;
  if (!frozen_.empty() && frozen_[variable]) return true;
  v.bounds = *common;
  changed_ = true;
  if (watching_) moved_.push_back(variable);
  return align(variable);
}

bool BoundPropagation::tighten(const FormAtom* atom, Interval allowed, int depth) {
  switch (atom->kind) {
    case FormAtomKind::variable:
      return tighten_variable(atom->variable, allowed);
    case FormAtomKind::scaled:
      return tighten_variable(atom->variable,
                              multiplied(allowed, atom->number, atom->residue, atom->residue));
    case FormAtomKind::quotient:
      return tighten(atom->form, multiplied(allowed, atom->number, 0, atom->number - 1), depth);
    case FormAtomKind::max0:
      if (allowed.upper < 0) return false;
      return tighten(atom->form, {allowed.lower > 0 ? allowed.lower : kNegInf, allowed.upper}, depth);
    default:
      return true;
  }
}

// R + k * max0(D) is the larger of R and S = R + k * D (the smaller if k < 0). So its upper (lower) bound
// holds for both R and S, and if one of them cannot reach its lower (upper) bound, that bound holds for the
// other.
bool BoundPropagation::tighten_extrema(const Form* form, Interval allowed, int depth) {
  for (const Term& t : form->terms()) {
    if (t.atom->kind != FormAtomKind::max0) continue;
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

bool BoundPropagation::tighten(const Form* form, Interval allowed, int depth) {
  const Interval r = range(ws_, form);
  if (allowed.contains(r)) return true;
  if (!allowed.intersects(r)) return false;
  if (depth > kLimits.tightening_depth || ws_.stopped()) return true;
  ws_.spend(form->size);
  WideRange others(form->constant);
  for (const Term& t : form->terms()) others.add(t.coefficient, range(ws_, t.atom));
  for (const Term& t : form->terms()) {
    const Interval own = range(ws_, t.atom);
    const auto left = others.left_for(t.coefficient, own, allowed);
    if (!left || !left->intersects(own)) return false;
    if (!left->contains(own) && !tighten(t.atom, *left, depth + 1)) return false;
  }
  return !form->has_max0 || tighten_extrema(form, allowed, depth);
}

}  // namespace tessera::detail
