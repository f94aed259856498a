// SPDX-License-Identifier: Apache-2.0
#include "map/linear_factor.h"

#include <algorithm>

namespace tessera::detail {

std::optional<Index> linear_factor(Expr e, Index variable) {
  if (e.is_constant()) return 0;
  if (e.is_variable()) return e.value() == variable ? 1 : 0;
  if (e.kind() == ExprKind::add) {
    const auto lhs = linear_factor(e.lhs(), variable);
    const auto rhs = lhs ? linear_factor(e.rhs(), variable) : std::nullopt;
    return rhs ? checked_add(*lhs, *rhs) : std::nullopt;
  }
  if (e.kind() == ExprKind::mul && e.rhs().is_constant()) {
    const auto lhs = linear_factor(e.lhs(), variable);
    return lhs ? checked_mul(*lhs, e.rhs().value()) : std::nullopt;
  }
  const auto used = variables(e);
  return std::ranges::find(used, variable) == used.end() ? std::optional<Index>(0) : std::nullopt;
}

}  // namespace tessera::detail
