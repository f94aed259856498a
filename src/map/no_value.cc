// SPDX-License-Identifier: Apache-2.0
#include "map/no_value.h"

#include <unordered_set>

namespace tessera::detail {
namespace {

// Whether the expression contains a division whose divisor satisfies `wanted`.
template <class Wanted>
bool has_divisor(Expr e, const Wanted& wanted, std::unordered_set<const void*>& seen) {
  if (!e.is_binary() || !seen.insert(e.id()).second) return false;
  const bool divides =
      e.kind() == ExprKind::floor_div || e.kind() == ExprKind::ceil_div || e.kind() == ExprKind::mod;
  if (divides && wanted(e.rhs())) return true;
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

}  // namespace tessera::detail
