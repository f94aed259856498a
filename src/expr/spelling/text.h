// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts: expressions under construction, in the same interned sums as the normal form.
#pragma once

#include "expr/form/sum.h"

namespace tessera::detail {

/// A text is a sum whose atoms are variables and operations. An operation is a node that will be printed:
/// `operation(mod, x + 3, 8)` is (x + 3) mod 8. Texts are interned like forms, so like terms merge and costs
/// are computed once.

/// Builds a text as a sum.
class TextSum : private Sum {
 public:
  explicit TextSum(Workspace& ws) : Sum(ws) {}
  TextSum(Workspace& ws, Text text) : Sum(ws, text.sum) {}
  using Sum::add_constant, Sum::append, Sum::clear, Sum::constant, Sum::overflowed, Sum::scale,
      Sum::set_constant, Sum::size, Sum::take, Sum::terms;
  void add(Index factor, Text text) { Sum::add(factor, text.sum); }
  Text intern() const { return {Sum::intern()}; }
};

/// A sum of variables is its own text.
inline Text linear_text(const Form* form) { return {form}; }
inline Text constant_text(Workspace& ws, Index value) { return {ws.constant(value)}; }
/// a * x + c.
inline Text affine(Workspace& ws, Index a, Text x, Index c = 0) { return {affine(ws, a, x.sum, c)}; }

/// The cost of a text as one number that orders by divisions (floordiv, mod), then operators, then signs.
/// Saturates, because a tree may be exponentially larger than its DAG.
using Cost = std::uint64_t;
inline constexpr Cost kOneSign = 1;
inline constexpr Cost kOneOperator = Cost{1} << 21;
inline constexpr Cost kOneDivision = Cost{1} << 42;
inline constexpr Cost kHugeCost = Cost{1} << 62;

constexpr Cost add_costs(Cost a, Cost b) {
  const Cost sum = a + b;
  constexpr Cost kCarry = (Cost{1} << 20) | (Cost{1} << 41) | (Cost{1} << 62);
  return (sum & kCarry) != 0 ? kHugeCost : sum;
}
constexpr std::uint64_t divisions(Cost cost) { return cost >> 42; }
constexpr std::uint64_t operators(Cost cost) { return cost >> 21 & 0xfffff; }

Cost cost(Text text);
/// The cost that a coefficient adds to its atom.
constexpr Cost factor_cost(Index k) {
  if (k == 1) return 0;
  if (k == -1) return kOneSign;
  return k < 0 ? kOneOperator + kOneSign : kOneOperator;
}
Cost cost(const TextSum& text);

/// The operation `left op right` as it is printed, such as left / right and left mod right.
Text operation_text(Workspace& ws, ExprKind op, Text left, Text right);
Text operation_text(Workspace& ws, ExprKind op, Text left, Index right);

/// A sum that stays together when it is multiplied: (a + b) * 4.
Text group_text(Workspace& ws, Text sum);

/// k*a + k*b + c -> (a + b) * k + c: terms whose coefficients agree up to sign share the multiplication.
Text factored(Workspace& ws, Text text);

/// The text as an expression: sums are left-nested in expression order, constant last. An overflow has no
/// expression and is recorded in the environment.
Expr to_expr(Workspace& ws, Text text);

}  // namespace tessera::detail
