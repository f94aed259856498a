// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/structure_text.h"

#include "expr/form/convert.h"
#include "expr/limits.h"
#include "expr/spelling/spell.h"
#include "expr/spelling/term_text.h"

namespace tessera::detail {
namespace {

// A lower bound on the cost of every text of the form: exact for sums of variables, one division for any form
// with a quotient.
Cost least_cost(Workspace& ws, const Form* form) {
  if (!needs_spelling(form)) return cost(spell(ws, form));
  return form->quotients > 0 ? kOneDivision + kOneOperator : 0;
}

Cost least_own_cost(Workspace& ws, Expr e) {
  const Form* a = convert(ws, e.lhs());
  const Form* b = convert(ws, e.rhs());
  switch (e.kind()) {
    case ExprKind::add:
    case ExprKind::mul:  // sums and factors may cancel, but a quotient stays
      return a->quotients + b->quotients > 0 ? kOneDivision + kOneOperator : 0;
    case ExprKind::min:
    case ExprKind::max:
      return least_cost(ws, a) + least_cost(ws, b) + kOneOperator;
    default:
      return least_cost(ws, a) + least_cost(ws, b) + kOneOperator + kOneDivision;
  }
}

// x mod c mod m = x mod m if m divides c.
Text without_finer_mod(Text x, Text m) {
  while (x->is_atom() && m->is_constant() && m->constant != 0) {
    const FormAtom* a = x->terms()[0].atom;
    const bool is_mod = a->kind == FormAtomKind::operation && a->op == ExprKind::mod;
    if (!is_mod || !a->right_form->is_constant() || a->right_form->constant % m->constant != 0) break;
    x = {a->form};
  }
  return x;
}

// Adds all summands together, because partial sums would depend on their order.
void add_summands(Workspace& ws, Expr e, Fewer fewer, int& budget, TextSum& sum) {
  for (; e.kind() == ExprKind::add; e = e.lhs()) add_summands(ws, e.rhs(), fewer, budget, sum);
  sum.add(1, structure_text(ws, e, fewer, budget));
}

}  // namespace

Text structure_text(Workspace& ws, Expr e, Fewer fewer, int& budget) {
  if (!e.is_binary() || --budget < 0) return spell(ws, convert(ws, e));
  // Drops an operation that does nothing, such as a remainder whose operand is smaller.
  ConversionMemo& known = conversion(ws, e);
  for (const Expr operand : {e.lhs(), e.rhs()}) {
    if (convert(ws, operand) == known.form) return structure_text(ws, operand, fewer, budget);
  }
  const bool divisions_first = fewer == Fewer::divisions;
  if (divisions_first && known.text) return known.text;
  Text best = spell(ws, known.form);
  if (divisions_first && least_own_cost(ws, e) >= cost(best)) return best;
  Text a;
  Text b;
  if (e.kind() != ExprKind::add) {
    a = structure_text(ws, e.lhs(), fewer, budget);
    b = structure_text(ws, e.rhs(), fewer, budget);
  }
  Text own;
  switch (e.kind()) {
    case ExprKind::add: {
      TextSum sum(ws);
      add_summands(ws, e, fewer, budget, sum);
      own = sum.intern();
      break;
    }
    case ExprKind::mul:
      if (b->is_constant()) {
        own = affine(ws, b->constant, a);
      } else if (a->is_constant()) {
        own = affine(ws, a->constant, b);
      } else {
        own = ordered_operation(ws, ExprKind::mul, a, b);
      }
      break;
    default:
      // If a constant operand folded, the normal form would be constant, and `best` already has it.
      if (e.kind() == ExprKind::min || e.kind() == ExprKind::max) {
        own = ordered_operation(ws, e.kind(), a, b);
      } else {
        if (e.kind() == ExprKind::mod) a = without_finer_mod(a, b);
        own = a->is_constant() && b->is_constant() ? best : operation_text(ws, e.kind(), a, b);
      }
  }
  if (!divisions_first) own = factored(ws, own);
  const bool smaller = divisions_first || operators(cost(own)) == operators(cost(best))
                           ? cost(own) < cost(best)
                           : operators(cost(own)) < operators(cost(best));
  if (smaller && !own->overflow) best = own;
  if (divisions_first) known.text = best;
  return best;
}

Expr structure_expr(Workspace& ws, Expr e) {
  int budget = kLimits.structured_parts;
  return to_expr(ws, structure_text(ws, e, Fewer::operators, budget));
}

}  // namespace tessera::detail
