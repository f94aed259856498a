// SPDX-License-Identifier: Apache-2.0
#include "map/no_value.h"

#include <unordered_set>

namespace tessera::detail {
namespace {

bool divides_by_zero(Expr e, std::unordered_set<const void*>& seen) {
  if (!e.is_binary() || !seen.insert(e.id()).second) return false;
  const bool divides =
      e.kind() == ExprKind::floor_div || e.kind() == ExprKind::ceil_div || e.kind() == ExprKind::mod;
  if (divides && e.rhs() == Expr::constant(0)) return true;
  return divides_by_zero(e.lhs(), seen) || divides_by_zero(e.rhs(), seen);
}

}  // namespace

bool divides_by_zero(Expr expr) {
  std::unordered_set<const void*> seen;
  return divides_by_zero(expr, seen);
}

}  // namespace tessera::detail
