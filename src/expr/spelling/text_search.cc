// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/text_search.h"

#include <algorithm>

#include "expr/spelling/spell.h"

namespace tessera::detail {
namespace {

// Whether `factored` writes the coefficient once, because one of the terms has it or its opposite.
bool shares_factor(Index k, std::span<const Term> terms) {
  if (k == 1 || k == -1) return false;
  return std::ranges::any_of(terms, [k](const Term& t) { return t.coefficient == k || t.coefficient == -k; });
}

// The least cost of term `i` of a sum of variables. `factored` chooses the signs of coefficients that it
// shares.
Cost least_term_cost(std::span<const Term> terms, std::size_t i) {
  const Index k = terms[i].coefficient;
  if (shares_factor(k, terms.first(i))) return 0;
  return shares_factor(k, terms.subspan(i + 1)) ? kOneOperator : factor_cost(k);
}

// Whether the text of a multiple of the atom keeps the coefficient, so that it can be shared.
bool keeps_coefficient(const FormAtom* atom) {
  return atom->kind == FormAtomKind::variable || atom->kind == FormAtomKind::quotient;
}

}  // namespace

TextSearch::TextSearch(Workspace& ws, const Form* form)
    : ws_(ws), rest_(ws, form), done_(ws), least_(cost_of(rest_, 0).total()), best_rest_(ws) {}

// Whether a multiplication by k is written anyway, for one of the terms or in the text found so far.
bool TextSearch::shares(Index k, std::span<const Term> terms) const {
  return shares_factor(k, terms) || shares_factor(k, done_.terms());
}

// The cost of the text found so far plus `rest`, every summand of which is written separately.
SumCost TextSearch::cost_of(const Sum& rest, Index constant) {
  SumCost sum = done_cost_;
  const std::span<const Term> terms = rest.terms();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool shared = keeps_coefficient(terms[i].atom) && shares(terms[i].coefficient, terms.first(i));
    sum.add(term_cost(ws_, terms[i]) - (shared ? kOneOperator : 0));
  }
  Index c = 0;
  if (add_overflows(rest.constant(), constant, c) || add_overflows(c, done_.constant(), c))
    sum.parts = kHugeCost;
  sum.add_constant(c);
  return sum;
}

void TextSearch::propose(const Sum& rest, Index factor, ExprKind op, const Sum& numerator, Index divisor,
                         Index constant) {
  if (rest.overflowed() || numerator.overflowed()) return;
  const Cost own = kOneDivision + kOneOperator + factor_cost(factor) -
                   (shares(factor, rest.terms()) ? kOneOperator : 0) + (divisor < 0 ? kOneSign : 0);
  Cost divisions = own;  // plus one for every remaining quotient
  for (const Term& t : rest.terms()) {
    if (t.atom->kind == FormAtomKind::quotient) divisions = add_costs(divisions, kOneDivision + kOneOperator);
  }
  if (divisions >= least_) return;
  if (op == ExprKind::mod) propose_factor_inside(rest, factor, numerator, divisor, constant);
  ws_.spend(rest.size());
  SumCost sum = cost_of(rest, constant);
  sum.add(own);
  SumCost inside;
  const bool linear = std::ranges::all_of(
      numerator.terms(), [](const Term& t) { return t.atom->kind == FormAtomKind::variable; });
  for (std::size_t i = 0; linear && i < numerator.size(); ++i)
    inside.add(least_term_cost(numerator.terms(), i));
  if (linear) inside.add_constant(numerator.constant());
  if (add_costs(sum.total(), inside.total()) >= least_) return;
  if (leaves_64_bits(ws_, numerator.constant(), numerator.terms())) return;
  const Text text = operation_text(ws_, op, spell(ws_, numerator.intern()), divisor);
  propose(rest, {factor, text}, constant);
  for (const Term& t : numerator.terms()) {
    if (t.atom->kind == FormAtomKind::scaled)
      propose_unscaled(rest, factor, op, numerator, divisor, constant, t.atom);
  }
}

void TextSearch::propose_fewer_divisions(const Sum& rest, Index factor, ExprKind op, const Sum& numerator,
                                         Index divisor) {
  const Cost least = least_;
  const Cost fewer = divisions(least) * kOneDivision;  // everything below has fewer divisions
  least_ = fewer;
  propose(rest, factor, op, numerator, divisor);
  if (least_ == fewer) least_ = least;
}

// factor * (x mod n) + c is (factor * x + c) mod (factor * n) for c in [0, factor - 1]. Saves a
// multiplication if each coefficient of x has one already, and an addition if x has a constant.
void TextSearch::propose_factor_inside(const Sum& rest, Index factor, const Sum& numerator, Index divisor,
                                       Index constant) {
  Index product = 0;
  Index whole = 0;
  if (factor < 2 || mul_overflows(divisor, factor, product) ||
      add_overflows(rest.constant(), constant, whole)) {
    return;
  }
  const Index c = tessera::mod(whole, factor);
  const auto is_unit = [](const Term& t) { return t.coefficient == 1 || t.coefficient == -1; };
  const bool merges_constants = c == whole && c != 0 && numerator.constant() != 0;
  if (std::ranges::count_if(numerator.terms(), is_unit) > (merges_constants ? 1 : 0)) return;
  Sum inside(ws_);
  inside.add(factor, numerator);
  inside.add_constant(c);
  if (inside.overflowed()) return;
  Sum reduced(ws_);
  for (const Term& t : inside.terms()) {
    if (const Index k = tessera::mod(t.coefficient, product); k != 0) reduced.append(k, t.atom);
  }
  reduced.set_constant(tessera::mod(inside.constant(), product));
  if (leaves_64_bits(ws_, reduced.constant(), reduced.terms())) return;
  Sum fewer = rest;
  fewer.add_constant(-c);
  propose(fewer, {1, operation_text(ws_, ExprKind::mod, spell(ws_, reduced.intern()), product)}, constant);
}

// For a scaled variable (x - r) / m, multiplies the numerator and the divisor by m. Then a quotient stays the
// same, also if the numerator grows by up to m-1; a remainder is multiplied by m and grows with the
// numerator.
void TextSearch::propose_unscaled(const Sum& rest, Index factor, ExprKind op, const Sum& numerator,
                                  Index divisor, Index constant, const FormAtom* scaled) {
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
  const bool shared = text.text->is_atom() && shares(text.factor, rest.terms());
  sum.add(cost(text) - (shared ? kOneOperator : 0));
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
