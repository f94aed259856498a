// SPDX-License-Identifier: Apache-2.0
#include "expr/divisors.h"

#include <unordered_set>

#include "expr/convert.h"
#include "expr/limits.h"
#include "expr/range.h"

namespace tessera::detail {
namespace {

bool divides(Expr e) {
  return e.kind() == ExprKind::floor_div || e.kind() == ExprKind::ceil_div || e.kind() == ExprKind::mod;
}

// Whether the expression contains a division whose divisor satisfies `wanted`.
template <class Wanted>
bool has_divisor(Expr e, const Wanted& wanted, std::unordered_set<const void*>& seen) {
  if (!e.is_binary() || !seen.insert(e.id()).second) return false;
  if (divides(e) && wanted(e.rhs())) return true;
  return has_divisor(e.lhs(), wanted, seen) || has_divisor(e.rhs(), wanted, seen);
}

}  // namespace

bool divides_by_zero(Expr expr) {
  std::unordered_set<const void*> seen;
  return has_divisor(expr, [](Expr divisor) { return divisor.is_constant(0); }, seen);
}

bool divides_by_variables(Expr expr) {
  std::unordered_set<const void*> seen;
  return has_divisor(expr, [](Expr divisor) { return !divisor.is_constant(); }, seen);
}

bool may_divide_by_zero(Workspace& ws, Expr e) {
  if (!e.is_binary()) return false;
  if (e.node_count() > kLimits.tree_nodes) return true;
  if (divides(e) && range(ws, convert(ws, e.rhs())).contains(Index{0})) return true;
  return may_divide_by_zero(ws, e.lhs()) || may_divide_by_zero(ws, e.rhs());
}

}  // namespace tessera::detail
