// SPDX-License-Identifier: Apache-2.0
#include "expr/spelling/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tessera::detail {
namespace {

Cost atom_cost(const FormAtom* a) {
  if (a->kind != FormAtomKind::operation) return 0;
  if (a->op == ExprKind::add && a->right_form->is_constant() && a->right_form->constant == 0)
    return cost(Text{a->form});
  return add_costs(add_costs(cost(Text{a->form}), cost(Text{a->right_form})),
                   is_division(a->op) ? kOneDivision + kOneOperator : kOneOperator);
}

Cost sum_cost(Index constant, std::span<const Term> terms) {
  Cost total = constant < 0 ? kOneSign : 0;
  if (terms.empty()) return total;
  if (constant != 0) total += kOneOperator;
  bool first = true;
  for (const Term& t : terms) {
    total = add_costs(total,
                      add_costs(atom_cost(t.atom), factor_cost(t.coefficient) + (first ? 0 : kOneOperator)));
    first = false;
  }
  return total;
}

Expr to_expr(Workspace& ws, const FormAtom* a) {
  if (a->kind == FormAtomKind::variable) return Expr::variable(a->variable);
  if (a->kind == FormAtomKind::overflow) {
    ws.overflowed = true;
    return Expr::constant(0);
  }
  const Expr left = to_expr(ws, Text{a->form});
  const Expr right = to_expr(ws, Text{a->right_form});
  const bool commutes = a->op == ExprKind::min || a->op == ExprKind::max || a->op == ExprKind::mul;
  return commutes && compare(right, left) < 0 ? Expr::binary(a->op, right, left)
                                              : Expr::binary(a->op, left, right);
}

// (A + B / b) / n is (A * b + B) / (b * n). Changes the dividend and the divisor; false if there is no such
// quotient.
bool flatten(Workspace& ws, Text& dividend, Index& n) {
  for (const Term& t : dividend->terms()) {
    const FormAtom* const a = t.atom;
    if (t.coefficient != 1 || a->kind != FormAtomKind::operation || a->op != ExprKind::floor_div) continue;
    if (!a->right_form->is_constant() || a->right_form->constant < 1) continue;
    const Index b = a->right_form->constant;
    Index product = 0;
    TextSum sum(ws, dividend);
    sum.take(a);
    sum.scale(b);
    sum.add(1, Text{a->form});
    if (mul_overflows(b, n, product) || sum.overflowed()) continue;
    dividend = sum.intern();
    n = product;
    return true;
  }
  return false;
}

// The text without the terms that are 0 modulo m. (n * m + x) / n is m + x / n.
Text without_multiples(Workspace& ws, Text text, Index m) {
  if (text->is_atom() && text->terms()[0].atom->kind == FormAtomKind::operation) {
    const FormAtom* const a = text->terms()[0].atom;
    Index product = 0;
    if (a->op != ExprKind::floor_div || !a->right_form->is_constant() || a->right_form->constant < 1 ||
        mul_overflows(a->right_form->constant, m, product)) {
      return text;
    }
    const Text dividend = without_multiples(ws, Text{a->form}, product);
    return dividend.sum == a->form ? text : operation_text(ws, a->op, dividend, Text{a->right_form});
  }
  const auto is_multiple = [&](const Term& t) { return t.coefficient % m == 0; };
  if (std::ranges::none_of(text->terms(), is_multiple) && (text->constant == 0 || text->constant % m != 0))
    return text;
  TextSum rest(ws);
  for (const Term& t : text->terms()) {
    if (!is_multiple(t)) rest.append(t.coefficient, t.atom);
  }
  if (text->constant % m != 0) rest.set_constant(text->constant);
  return rest.intern();
}

}  // namespace

Cost cost(Text text) {
  if (!text->cost_known) {
    text->cost = sum_cost(text->constant, text->terms());
    text->cost_known = true;
  }
  return text->cost;
}

Cost cost(const TextSum& text) {
  return text.overflowed() ? kHugeCost : sum_cost(text.constant(), text.terms());
}

Text operation_text(Workspace& ws, ExprKind op, Text left, Text right) {
  if (left->overflow || right->overflow) return {ws.overflow()};
  if (right->is_constant() && right->constant > 0) {
    Index n = right->constant;
    if (op == ExprKind::floor_div && n == 1) return left;
    if (op == ExprKind::floor_div && flatten(ws, left, n)) return operation_text(ws, op, left, n);
    if (op == ExprKind::mod) left = without_multiples(ws, left, n);
    if (op == ExprKind::mod && left->is_constant()) return constant_text(ws, tessera::mod(left->constant, n));
  }
  return {ws.form_of(ws.operation(op, left.sum, right.sum))};
}

Text operation_text(Workspace& ws, ExprKind op, Text left, Index right) {
  return operation_text(ws, op, left, constant_text(ws, right));
}

// The group is sum + 0; the construction rules drop the zero when to_expr builds the expression.
Text group_text(Workspace& ws, Text sum) {
  return operation_text(ws, ExprKind::add, sum, constant_text(ws, 0));
}

Text factored(Workspace& ws, Text plain) {
  if (plain->size < 2) return plain;
  std::array<Index, 16> sizes;
  std::size_t count = 0;
  for (const Term& t : plain->terms()) {
    if (count == sizes.size()) break;
    if (std::abs(t.coefficient) > 1) sizes[count++] = std::abs(t.coefficient);
  }
  std::sort(sizes.begin(), sizes.begin() + count);
  if (std::adjacent_find(sizes.begin(), sizes.begin() + count) == sizes.begin() + count) return plain;
  TextSum out(ws, plain);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Index k = sizes[i];
    if (sizes[i + 1] != k || (i > 0 && sizes[i - 1] == k)) continue;
    TextSum group(ws);
    bool negative = true;
    for (const Term& t : plain->terms()) {
      if (std::abs(t.coefficient) != k) continue;
      group.append(t.coefficient / k, t.atom);
      out.take(t.atom);
      negative &= t.coefficient < 0;
    }
    if (negative) group.scale(-1);
    const Index factor = negative ? -k : k;
    if (out.size() == 0 && out.constant() % k == 0) {  // factor it out of the constant, too
      group.add_constant(out.constant() / factor);
      out.set_constant(0);
    }
    out.add(factor, group_text(ws, group.intern()));
  }
  return out.intern();
}

Expr to_expr(Workspace& ws, Text text) {
  if (text->is_constant()) return Expr::constant(text->constant);
  if (text->is_atom() && text->terms()[0].atom->kind == FormAtomKind::variable) {
    return Expr::variable(text->terms()[0].atom->variable);
  }
  if (text->expr_index != 0) return ws.texts[text->expr_index - 1];
  const std::size_t count = text->size;
  auto* terms = ws.arena.array<Expr>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Term& t = text->terms()[i];
    new (terms + i) Expr(to_expr(ws, t.atom) * t.coefficient);
  }
  std::sort(terms, terms + count, [](Expr a, Expr b) { return compare(a, b) < 0; });
  Expr sum = terms[0];
  for (std::size_t i = 1; i < count; ++i) sum = sum + terms[i];
  sum = sum + text->constant;
  ws.texts.push_back(sum);
  text->expr_index = static_cast<std::uint32_t>(ws.texts.size());
  return sum;
}

}  // namespace tessera::detail
