// SPDX-License-Identifier: Apache-2.0
#include "expr/form/convert.h"

#include "expr/form/arithmetic.h"
#include "expr/form/floor_div.h"
#include "expr/form/rebuild.h"
#include "expr/form/refine.h"
#include "expr/form/sum.h"
#include "expr/form/upper_halves.h"

namespace tessera::detail {
namespace {

// Forms never contain kIndexMin, so that every coefficient can be negated. kIndexMin becomes a sum, which is
// folded again in the text.
const Form* constant_form(Workspace& ws, Index value) {
  if (value != kIndexMin) return ws.constant(value);
  return ws.form_of(ws.operation(ExprKind::add, ws.constant(-kIndexMax), ws.constant(-1)));
}

// Whether the term is x or x * c, which need no form of their own.
bool is_plain_term(Expr e) {
  return e.is_variable() || (e.kind() == ExprKind::mul && e.lhs().is_variable() && e.rhs().is_constant() &&
                             e.rhs().value() != kIndexMin);
}

// Adds a variable. One without a known value or congruence needs no form of its own.
void add_variable(Workspace& ws, Sum& sum, Index factor, std::uint32_t number) {
  const FormAtom* const atom = ws.variable(number);
  const VariableState& v = ws.variables[number];
  if (v.bounds.is_point() || v.modulus > 1) {
    sum.add(factor, variable_form(ws, number));
  } else {
    sum.add(factor, atom);
  }
}

void add_summand(Workspace& ws, Sum& sum, Expr e) {
  if (e.is_constant() && e.value() != kIndexMin) {
    sum.add_constant(e.value());
  } else if (is_plain_term(e)) {
    const bool scaled = !e.is_variable();
    add_variable(ws, sum, scaled ? e.rhs().value() : 1,
                 static_cast<std::uint32_t>(scaled ? e.lhs().value() : e.value()));
  } else {
    sum.add(1, convert(ws, e));
  }
}

// Merges a sum term by term without interning its prefixes, so that n terms cost O(n), not O(n^2).
const Form* convert_sum(Workspace& ws, Expr e) {
  std::size_t count = 1;
  Expr base = e;
  for (; base.lhs().kind() == ExprKind::add; base = base.lhs()) ++count;
  auto* parts = ws.arena.array<Expr>(count);
  base = e;
  for (std::size_t i = 0; i < count; ++i, base = base.lhs()) new (parts + i) Expr(base.rhs());
  Sum sum(ws);
  add_summand(ws, sum, base);
  for (std::size_t i = count; i-- > 0;) add_summand(ws, sum, parts[i]);
  return sum.intern();
}

// Converts x * n, x / n and x mod n, the most frequent nodes of a map, without making a form of n.
const Form* convert_by_number(Workspace& ws, Expr e) {
  const Form* const a = convert(ws, e.lhs());
  const Index n = e.rhs().value();
  const Form* const made = e.kind() == ExprKind::mul ? affine(ws, n, a) : division(ws, e.kind(), a, n);
  return made->overflow ? opaque_operation(ws, e.kind(), a, ws.constant(n)) : made;
}

bool is_by_number(Expr e) {
  if (!e.rhs().is_constant() || e.rhs().value() == 0 || e.rhs().value() == kIndexMin) return false;
  return e.kind() != ExprKind::add && e.kind() != ExprKind::min && e.kind() != ExprKind::max;
}

const Form* convert_binary(Workspace& ws, Expr e) {
  if (is_by_number(e)) return convert_by_number(ws, e);
  const Form* const a = convert(ws, e.lhs());
  return operation(ws, e.kind(), a, convert(ws, e.rhs()));
}

const Form* convert_node(Workspace& ws, Expr e) {
  if (e.kind() == ExprKind::add) {
    const Form* const sum = convert_sum(ws, e);
    if (!sum->overflow) return sum;
  }
  return convert_binary(ws, e);  // if a sum overflows, its parts may still fit
}

}  // namespace

const Form* convert(Workspace& ws, Expr e) {
  if (e.is_constant()) return constant_form(ws, e.value());
  if (e.is_variable()) return variable_form(ws, static_cast<std::uint32_t>(e.value()));
  return conversion(ws, e).form;
}

ConversionMemo& conversion(Workspace& ws, Expr e) {
  const std::uint64_t hash = e.hash();
  auto* const known = ws.conversions.find(
      hash, [&](const ConversionMemo& m) { return m.generation == ws.generation && m.expr == e; });
  if (known != nullptr) return *known;
  ws.spend(8);
  const auto remember = [&](const Form* form) {
    return new (ws.arena.array<ConversionMemo>(1)) ConversionMemo{hash, e, ws.generation, form, {}};
  };
  if (ws.exhausted) return *remember(ws.constant(0));
  const Form* form = convert_node(ws, e);
  if (e.kind() == ExprKind::add) form = merge_pairs(ws, form);
  if (!ws.facts.empty()) form = refine(ws, form);
  auto* const memo = remember(form);
  ws.conversions.insert(memo);
  return *memo;
}

}  // namespace tessera::detail
