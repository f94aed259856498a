// SPDX-License-Identifier: Apache-2.0
#include "expr/written.h"

#include <algorithm>
#include <array>

namespace tessera::detail {
namespace {

Cost atom_cost(const Atom* a) {
  if (a->kind != AtomKind::operation) return 0;
  if (a->op == ExprKind::add && a->right_form->is_constant() && a->right_form->constant == 0)
    return cost(a->form);
  const bool division = a->op == ExprKind::floor_div || a->op == ExprKind::mod || a->op == ExprKind::ceil_div;
  return add_costs(add_costs(cost(a->form), cost(a->right_form)),
                   division ? kOneDivision + kOneOperator : kOneOperator);
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

Expr to_expr(Workspace& ws, const Atom* a) {
  if (a->kind == AtomKind::variable) return Expr::variable(a->variable);
  if (a->kind == AtomKind::overflow) {
    ws.overflowed = true;
    return Expr::constant(0);
  }
  const Expr left = to_expr(ws, a->form);
  const Expr right = to_expr(ws, a->right_form);
  const bool commutes = a->op == ExprKind::min || a->op == ExprKind::max || a->op == ExprKind::mul;
  return commutes && compare(right, left) < 0 ? Expr::binary(a->op, right, left)
                                              : Expr::binary(a->op, left, right);
}

}  // namespace

Cost cost(const Form* written) {
  if (!written->cost_known) {
    written->cost = sum_cost(written->constant, written->terms());
    written->cost_known = true;
  }
  return written->cost;
}

Cost cost(const Sum& written) {
  return written.overflowed() ? kHugeCost : sum_cost(written.constant(), written.terms());
}

const Form* written_operation(Workspace& ws, ExprKind op, const Form* left, const Form* right) {
  if (left->overflow || right->overflow) return ws.overflow();
  if (right->is_constant() && right->constant == 1 && op == ExprKind::floor_div) return left;
  return ws.form_of(ws.operation(op, left, right));
}

const Form* written_operation(Workspace& ws, ExprKind op, const Form* left, Index right) {
  return written_operation(ws, op, left, ws.constant(right));
}

// The group is sum + 0; the construction rules drop the zero when the expression is built.
const Form* written_group(Workspace& ws, const Form* sum) {
  return written_operation(ws, ExprKind::add, sum, ws.constant(0));
}

const Form* factored(Workspace& ws, const Form* plain) {
  if (plain->size < 2) return plain;
  const auto magnitude = [](Index k) { return k < 0 ? -k : k; };
  std::array<Index, 16> sizes;
  std::size_t count = 0;
  for (const Term& t : plain->terms()) {
    if (count == sizes.size()) break;
    if (magnitude(t.coefficient) > 1) sizes[count++] = magnitude(t.coefficient);
  }
  std::sort(sizes.begin(), sizes.begin() + count);
  if (std::adjacent_find(sizes.begin(), sizes.begin() + count) == sizes.begin() + count) return plain;
  Sum out(ws, plain);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Index k = sizes[i];
    if (sizes[i + 1] != k || (i > 0 && sizes[i - 1] == k)) continue;
    Sum group(ws);
    bool negative = true;
    for (const Term& t : plain->terms()) {
      if (magnitude(t.coefficient) != k) continue;
      group.append(t.coefficient / k, t.atom);
      out.take(t.atom);
      negative &= t.coefficient < 0;
    }
    if (negative) group.scale(-1);
    const Index factor = negative ? -k : k;
    if (out.size() == 0 && out.constant() % k == 0) {  // the constant goes along
      group.add_constant(out.constant() / factor);
      out.set_constant(0);
    }
    out.add(factor, written_group(ws, group.intern()));
  }
  return out.intern();
}

Expr to_expr(Workspace& ws, const Form* written) {
  if (written->is_constant()) return Expr::constant(written->constant);
  if (written->is_atom() && written->terms()[0].atom->kind == AtomKind::variable) {
    return Expr::variable(written->terms()[0].atom->variable);
  }
  if (written->text != 0) return ws.texts[written->text - 1];
  const std::size_t count = written->size;
  auto* terms = ws.arena.array<Expr>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Term& t = written->terms()[i];
    new (terms + i) Expr(to_expr(ws, t.atom) * t.coefficient);
  }
  std::sort(terms, terms + count, [](Expr a, Expr b) { return compare(a, b) < 0; });
  Expr sum = terms[0];
  for (std::size_t i = 1; i < count; ++i) sum = sum + terms[i];
  sum = sum + written->constant;
  ws.texts.push_back(sum);
  written->text = static_cast<std::uint32_t>(ws.texts.size());
  return sum;
}

}  // namespace tessera::detail
