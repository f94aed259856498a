// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/term_text.h"

#include "expr/form/range.h"
#include "expr/spelling/spell.h"

namespace tessera::detail {
namespace {

Text divided(Workspace& ws, const Form* numerator, Index n) {
  return operation_text(ws, ExprKind::floor_div, spell(ws, numerator), n);
}

bool leaves_64_bits(Workspace& ws, const Form* form) {
  return leaves_64_bits(ws, form->constant, form->terms());
}

// The cheapest text of a quotient: as a floor, or as a ceiling if adding n-1 overflows 64 bits. Memoized for
// the generation.
void spell_quotient(Workspace& ws, const FormAtom* q) {
  if (q->text_stamp == ws.generation) return;
  const Form* m = q->form;
  const Index n = q->number;
  const bool as_ceiling = leaves_64_bits(ws, m);
  q->text = as_ceiling ? operation_text(ws, ExprKind::ceil_div, spell(ws, affine(ws, 1, m, 1 - n)), n)
                       : divided(ws, m, n);
  q->text_stamp = ws.generation;
}

// The cheapest text of a quotient with a negative coefficient: as in spell_quotient, or as -fl((-M + n-1)/n).
void spell_negative_quotient(Workspace& ws, const FormAtom* q) {
  if (q->negative_text_stamp == ws.generation) return;
  spell_quotient(ws, q);
  const Form* m = q->form;
  const Index n = q->number;
  q->negative_text = q->text;
  q->negative_text_flips = false;
  // An equally short floor replaces a ceiling.
  const Cost least = add_costs(cost(q->text), kOneSign + (leaves_64_bits(ws, m) ? 1 : 0));
  if (const Form* turned = affine(ws, -1, m, n - 1); !leaves_64_bits(ws, turned)) {
    const Text other = divided(ws, turned, n);
    if (cost(other) < least) {
      q->negative_text = other;
      q->negative_text_flips = true;
    }
  }
  q->negative_text_stamp = ws.generation;
}

}  // namespace

Index unscale(Sum& sum, const FormAtom* scaled) {
  sum.scale(scaled->number);
  __int128 missing = -__int128{sum.constant()};
  for (const Term& part : sum.terms()) {
    if (part.atom->kind == FormAtomKind::scaled && part.coefficient % part.atom->number == 0)
      missing += __int128{part.coefficient / part.atom->number} * part.atom->residue;
  }
  if (missing <= 0 || missing >= scaled->number) return 0;
  sum.add_constant(static_cast<Index>(missing));
  return static_cast<Index>(missing);
}

Cost cost(ScaledText p) {
  if (p.text->is_atom()) return add_costs(cost(p.text), factor_cost(p.factor));
  Cost total = cost(p.text);
  for (const Term& t : p.text->terms()) {
    Index k = 0;
    total = add_costs(total, mul_overflows(t.coefficient, p.factor, k)
                                 ? kHugeCost
                                 : factor_cost(k) - factor_cost(t.coefficient));
  }
  return total;
}

Text ordered_operation(Workspace& ws, ExprKind op, Text a, Text b) {
  const bool swap =
      a->is_constant() != b->is_constant() ? a->is_constant() : compare_content(b.sum, a.sum) < 0;
  return swap ? operation_text(ws, op, b, a) : operation_text(ws, op, a, b);
}

bool leaves_64_bits(Workspace& ws, Index constant, std::span<const Term> terms) {
  Interval narrow;
  if (narrow_range(ws, constant, terms, narrow)) return false;
  const WideRange total = plain_range(ws, constant, terms);
  return total.finite() && !total.interval().is_finite();
}

ScaledText spell_term(Workspace& ws, Index factor, const FormAtom* a) {
  switch (a->kind) {
    case FormAtomKind::variable:
      return {factor, linear_text(ws.form_of(a))};
    case FormAtomKind::quotient:
      if (factor > 0) {
        spell_quotient(ws, a);
        return {factor, a->text};
      }
      spell_negative_quotient(ws, a);
      return {a->negative_text_flips ? -factor : factor, a->negative_text};
    case FormAtomKind::max0: {
      const Text zero = constant_text(ws, 0);
      const ScaledText best{factor, operation_text(ws, ExprKind::max, spell(ws, a->form), zero)};
      const ScaledText other{-factor,
                             operation_text(ws, ExprKind::min, spell(ws, affine(ws, -1, a->form)), zero)};
      return cost(other) < cost(best) ? other : best;
    }
    case FormAtomKind::product:
      return {factor, ordered_operation(ws, ExprKind::mul, spell(ws, ws.form_of(a->left)),
                                        spell(ws, ws.form_of(a->right)))};
    case FormAtomKind::scaled: {
      const Text x = linear_text(ws.form_of(ws.variable(a->variable)));
      if (factor % a->number == 0) return {factor / a->number, affine(ws, 1, x, -a->residue)};
      return {factor, operation_text(ws, ExprKind::floor_div, x, a->number)};
    }
    case FormAtomKind::operation:
      return {factor, operation_text(ws, a->op, spell(ws, a->form), spell(ws, a->right_form))};
    case FormAtomKind::overflow:
      return {factor, {ws.overflow()}};
  }
  return {factor, linear_text(ws.form_of(a))};
}

}  // namespace tessera::detail
