// SPDX-License-Identifier: Apache-2.0
#include "expr/offers.h"

#include "expr/spell.h"

namespace tessera::detail {

Offers::Offers(Workspace& ws, const Form* form)
    : ws_(ws), rest_(ws, form), written_(ws), least_(cost_of(rest_, 0).total()), best_rest_(ws) {}

// The text written so far and the rest, every summand separately.
SumCost Offers::cost_of(const Sum& rest, Index constant) {
  SumCost sum = written_cost_;
  for (const Term& t : rest.terms()) sum.add(term_cost(ws_, t));
  Index c = 0;
  if (add_overflows(rest.constant(), constant, c) || add_overflows(c, written_.constant(), c))
    sum.parts = kHugeCost;
  sum.add_constant(c);
  return sum;
}

void Offers::offer(const Sum& rest, Index factor, ExprKind op, const Sum& numerator, Index divisor,
                   Index constant) {
  if (rest.overflowed() || numerator.overflowed()) return;
  const Cost own = kOneDivision + kOneOperator + factor_cost(factor) + (divisor < 0 ? kOneSign : 0);
  Cost divisions = own;  // every remaining quotient has one too
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
  const Form* const written = written_operation(ws_, op, spell(ws_, numerator.intern()), divisor);
  offer(rest, {factor, written}, constant);
}

void Offers::offer(const Sum& rest, Piece piece, Index constant) {
  if (rest.overflowed()) return;
  SumCost sum = cost_of(rest, constant);
  sum.add(cost(piece));
  if (sum.total() >= least_) return;
  least_ = sum.total();
  best_rest_ = rest;
  best_ = piece;
  best_constant_ = constant;
  improved_ = true;
}

bool Offers::take_best() {
  if (!improved_) return false;
  improved_ = false;
  rest_ = best_rest_;
  written_.add(best_.factor, best_.written);
  written_.add_constant(best_constant_);
  written_cost_ = SumCost{};
  for (const Term& t : written_.terms())
    written_cost_.add(add_costs(cost(ws_.form_of(t.atom)), factor_cost(t.coefficient)));
  return true;
}

const Form* Offers::text() {
  Sum out = written_;
  out.add_constant(rest_.constant());
  for (const Term& t : rest_.terms()) {
    const Piece p = spell_term(ws_, t.coefficient, t.atom);
    out.add(p.factor, p.written);
  }
  return out.intern();
}

}  // namespace tessera::detail
