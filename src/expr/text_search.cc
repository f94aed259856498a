// SPDX-License-Identifier: Apache-2.0
#include "expr/text_search.h"

#include "expr/spell.h"

namespace tessera::detail {

TextSearch::TextSearch(Workspace& ws, const Form* form)
    : ws_(ws), rest_(ws, form), done_(ws), least_(cost_of(rest_, 0).total()), best_rest_(ws) {}

// The cost of the text found so far plus `rest`, every summand of which is written separately.
SumCost TextSearch::cost_of(const Sum& rest, Index constant) {
  SumCost sum = done_cost_;
  for (const Term& t : rest.terms()) sum.add(term_cost(ws_, t));
  Index c = 0;
  if (add_overflows(rest.constant(), constant, c) || add_overflows(c, done_.constant(), c))
    sum.parts = kHugeCost;
  sum.add_constant(c);
  return sum;
}

void TextSearch::propose(const Sum& rest, Index factor, ExprKind op, const Sum& numerator, Index divisor,
                         Index constant) {
  if (rest.overflowed() || numerator.overflowed()) return;
  const Cost own = kOneDivision + kOneOperator + factor_cost(factor) + (divisor < 0 ? kOneSign : 0);
  Cost divisions = own;  // plus one for every remaining quotient
  for (const Term& t : rest.terms()) {
    if (t.atom->kind == AtomKind::quotient) divisions = add_costs(divisions, kOneDivision + kOneOperator);
  }
  if (divisions >= least_) return;
  ws_.spend(rest.size());
  SumCost sum = cost_of(rest, constant);
  sum.add(own);
  SumCost inside;
  bool linear = true;
  for (const Term& t : numerator.terms()) {
    linear &= t.atom->kind == AtomKind::variable;
    inside.add(factor_cost(t.coefficient));
  }
  inside.add_constant(numerator.constant());
  if ((linear ? add_costs(sum.total(), inside.total()) : sum.total()) >= least_) return;
  if (leaves_64_bits(ws_, numerator.constant(), numerator.terms())) return;
  const Text text = operation_text(ws_, op, spell(ws_, numerator.intern()), divisor);
  propose(rest, {factor, text}, constant);
  for (const Term& t : numerator.terms()) {
    if (t.atom->kind == AtomKind::scaled)
      propose_unscaled(rest, factor, op, numerator, divisor, constant, t.atom);
  }
}

// For a scaled variable (x - r) / m, multiplies the numerator and the divisor by m. Then a quotient stays the
// same, also if the numerator grows by up to m-1; a remainder is multiplied by m and grows with the
// numerator.
void TextSearch::propose_unscaled(const Sum& rest, Index factor, ExprKind op, const Sum& numerator,
                                  Index divisor, Index constant, const Atom* scaled) {
  const bool is_mod = op == ExprKind::mod;
  Index product = 0;
  if (mul_overflows(divisor, scaled->number, product) || (is_mod && factor % scaled->number != 0)) return;
  Sum whole = numerator;
  const Index added = unscale(whole, scaled);
  if (whole.overflowed() || leaves_64_bits(ws_, whole.constant(), whole.terms())) return;
  Index grown = 0;
  if (is_mod) {
    factor /= scaled->number;
    if (mul_overflows(factor, added, grown) || sub_overflows(constant, grown, constant)) return;
  }
  propose(rest, {factor, operation_text(ws_, op, spell(ws_, whole.intern()), product)}, constant);
}

void TextSearch::propose(const Sum& rest, ScaledText text, Index constant) {
  if (rest.overflowed()) return;
  SumCost sum = cost_of(rest, constant);
  sum.add(cost(text));
  if (sum.total() >= least_) return;
  least_ = sum.total();
  best_rest_ = rest;
  best_ = text;
  best_constant_ = constant;
  improved_ = true;
}

bool TextSearch::take_best() {
  if (!improved_) return false;
  improved_ = false;
  rest_ = best_rest_;
  done_.add(best_.factor, best_.text);
  done_.add_constant(best_constant_);
  done_cost_ = SumCost{};
  for (const Term& t : done_.terms())
    done_cost_.add(add_costs(cost(Text{ws_.form_of(t.atom)}), factor_cost(t.coefficient)));
  return true;
}

Text TextSearch::text() {
  TextSum out = done_;
  out.add_constant(rest_.constant());
  for (const Term& t : rest_.terms()) {
    const ScaledText p = spell_term(ws_, t.coefficient, t.atom);
    out.add(p.factor, p.text);
  }
  return out.intern();
}

}  // namespace tessera::detail
