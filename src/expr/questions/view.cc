// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/view.h"

#include <algorithm>

#include "expr/form/convert.h"
#include "expr/form/digit_view.h"
#include "expr/form/refine.h"
#include "expr/limits.h"
#include "expr/questions/overflow.h"
#include "expr/spelling/spell.h"

namespace tessera::detail {
namespace {

// A term whose base is the dividend of a quotient, or else the atom itself.
DigitTerm atom_term(Workspace& ws, Index coefficient, const FormAtom* atom) {
  DigitTerm term{.coefficient = coefficient, .range = range(ws, atom)};
  switch (atom->kind) {
    case FormAtomKind::variable:
      term.base = Expr::variable(atom->variable);
      break;
    case FormAtomKind::scaled:  // (x - residue) / number is floor(x / number)
      term.base = Expr::variable(atom->variable);
      term.divisor = atom->number;
      break;
    case FormAtomKind::quotient:
      term.base = to_expr(ws, spell(ws, atom->form));
      term.divisor = atom->number;
      break;
    case FormAtomKind::max0:
      term.base = to_expr(ws, spell(ws, atom->form));
      term.at_least_zero = true;
      break;
    default:
      term.base = to_expr(ws, spell(ws, ws.form_of(atom)));
      term.opaque = true;
  }
  return term;
}

// The term of an item of the view. `constant` receives what it adds to the constant.
DigitTerm digit_term(Workspace& ws, const ViewItem& item, Index& constant) {
  constant = 0;
  if (item.base == nullptr) return atom_term(ws, item.factor, item.atom);
  DigitTerm term{.coefficient = item.factor, .modulus = item.modulus, .range = item.range};
  const Form* base = item.base;
  if (term.modulus == 2 && tessera::mod(base->constant, 2) == 1) {  // (x + 1) mod 2 = 1 - x mod 2
    constant = term.coefficient;
    term.coefficient = -term.coefficient;
    term.range = Interval::point(1) - term.range;
    base = affine(ws, 1, base, -base->constant);
  }
  // A single quotient is a digit of its dividend.
  const FormAtom* const quotient = base->is_atom() ? base->terms()[0].atom : nullptr;
  if (quotient != nullptr &&
      (quotient->kind == FormAtomKind::quotient || quotient->kind == FormAtomKind::scaled)) {
    DigitTerm whole = atom_term(ws, 1, quotient);
    term.base = whole.base;
    term.divisor = whole.divisor;
  } else {
    term.base = to_expr(ws, spell(ws, base));
  }
  return term;
}

// By k * max0(D) = k * D + k * max0(-D), min(x, c) is c - max0(c - x), although its normal form is
// x - max0(x - c). Moves such terms from the form to `out` and returns the rest of the form.
const Form* take_minima(Workspace& ws, const Form* form, std::vector<DigitTerm>& out) {
  for (const Term& t : form->terms()) {
    if (t.atom->kind != FormAtomKind::max0) continue;
    Sum rest(ws, form);
    rest.take(t.atom);
    rest.add(t.coefficient, t.atom->form);
    if (rest.overflowed() || rest.size() + 1 >= form->size) continue;
    const Form* const opposite = affine(ws, -1, t.atom->form);
    out.push_back({.coefficient = t.coefficient,
                   .base = to_expr(ws, spell(ws, opposite)),
                   .at_least_zero = true,
                   .range = max(range(ws, opposite), Interval::point(0))});
    return take_minima(ws, rest.intern(), out);
  }
  return form;
}

}  // namespace

bool DigitTerm::mentions(Index variable) const { return std::ranges::binary_search(variables, variable); }

Expr DigitTerm::digit() const {
  if (at_least_zero) return max(base, Expr());
  const Expr quotient = floor_div(base, divisor);
  return modulus == 0 ? quotient : mod(quotient, modulus);
}

std::optional<Index> ExprView::coefficient(Index variable) const {
  Index found = 0;
  for (const DigitTerm& term : terms) {
    if (!term.mentions(variable)) continue;
    if (!term.is_variable()) return std::nullopt;
    found = term.coefficient;
  }
  return found;
}

Expr ExprView::without(Index variable) const {
  Expr sum;
  for (const DigitTerm& term : terms) {
    if (!term.mentions(variable)) sum = sum + term.digit() * term.coefficient;
  }
  return sum + constant;
}

std::optional<ExprView> view(Workspace& ws, Expr expr) {
  ExprView out;
  const Form* const form = refine(ws, convert(ws, expr));
  out.has_values = !ws.partial && stays_in_64_bits(ws, expr);
  out.range = range(ws, form);
  const DigitView digits = finest_digits(ws, form->has_max0 ? take_minima(ws, form, out.terms) : form);
  out.constant = digits.constant;
  for (const ViewItem& item : digits.span()) {
    Index constant = 0;
    out.terms.push_back(digit_term(ws, item, constant));
    ws.overflowed |= add_overflows(out.constant, constant, out.constant);
  }
  for (DigitTerm& term : out.terms) term.variables = variables(term.base);
  if (ws.stopped() || form->overflow) return std::nullopt;
  return out;
}

std::optional<ExprView> view(Workspace& ws, Expr expr, std::span<const Interval> box) {
  if (expr.depth() > kMaxExprDepth) return std::nullopt;
  ws.start(box.size(), kLimits.fuel_for(expr.node_count()));
  ws.variable_bits = 0;
  for (std::size_t i = 0; i < box.size(); ++i) {
    ws.variables[i].bounds = box[i];
    ws.variable_bits = std::max(ws.variable_bits, bits_of(box[i]));
  }
  return view(ws, expr);
}

std::optional<ExprView> view(Expr expr, std::span<const Interval> box) {
  const BorrowedWorkspace ws;
  return view(*ws, expr, box);
}

}  // namespace tessera::detail
