// SPDX-License-Identifier: Apache-2.0
/// \file
/// Written forms: text under construction, in the same interned sums as the normal form.
#pragma once

#include "expr/sum.h"

namespace tessera::detail {

/// A written form has only variables and operations as atoms, and an operation is a node that will be
/// printed: `operation(mod, x + 3, 8)` is (x + 3) mod 8. Sharing the representation of normal forms makes
/// equal text the same pointer, so like terms merge and costs are counted once.

/// The cost of text, to be compared as one number: divisions (floordiv, mod) first, then operators, then
/// signs. Saturates, because a tree may be exponentially larger than its DAG.
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

Cost cost(const Form* written);
/// The cost that a coefficient adds to its atom.
constexpr Cost factor_cost(Index k) {
  if (k == 1) return 0;
  if (k == -1) return kOneSign;
  return k < 0 ? kOneOperator + kOneSign : kOneOperator;
}
Cost cost(const Sum& written);

/// left / divisor and left mod divisor as they are printed.
const Form* written_operation(Workspace& ws, ExprKind op, const Form* left, const Form* right);
const Form* written_operation(Workspace& ws, ExprKind op, const Form* left, Index right);

/// A sum that stays together when it is multiplied: (a + b) * 4.
const Form* written_group(Workspace& ws, const Form* sum);

/// k*a + k*b + c -> (a + b) * k + c: terms with one coefficient (up to its sign) share the multiplication.
const Form* factored(Workspace& ws, const Form* written);

/// The expression: sums are left-nested in expression order, constant last. An overflow has no expression and
/// is noted in the environment.
Expr to_expr(Workspace& ws, const Form* written);

}  // namespace tessera::detail
