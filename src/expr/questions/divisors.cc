// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/divisors.h"

#include <unordered_set>

#include "expr/form/convert.h"
#include "expr/form/range.h"
#include "expr/limits.h"

namespace tessera::detail {

bool may_divide_by_zero(Workspace& ws, Expr e) {
  if (!e.node().divides_by_variable) return e.node().divides_by_zero;
  if (e.node_count() > kLimits.tree_nodes) return true;
  if (is_division(e.kind()) && range(ws, convert(ws, e.rhs())).contains(Index{0})) return true;
  return may_divide_by_zero(ws, e.lhs()) || may_divide_by_zero(ws, e.rhs());
}

namespace {

bool keeps_numbers(Expr e, std::unordered_set<const void*>& seen) {
  if (!e.is_binary() || !seen.insert(e.id()).second) return false;
  return e.node().variables == 0 || keeps_numbers(e.lhs(), seen) || keeps_numbers(e.rhs(), seen);
}

}  // namespace

bool lacks_value(Expr expr) {
  std::unordered_set<const void*> seen;
  return keeps_numbers(expr, seen);
}

}  // namespace tessera::detail
