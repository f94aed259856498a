// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/quick.h"

#include <algorithm>

namespace tessera::detail {

std::optional<Index> quick_factor(Expr e, Index variable) {
  if (!e.is_binary()) return e.is_variable() && e.value() == variable ? 1 : 0;
  if (e.kind() == ExprKind::add) {
    const auto a = quick_factor(e.lhs(), variable);
    const auto b = quick_factor(e.rhs(), variable);
    Index sum = 0;
    return a && b && !add_overflows(*a, *b, sum) ? std::optional(sum) : std::nullopt;
  }
  if (e.kind() == ExprKind::mul && e.rhs().is_constant()) {
    const auto a = quick_factor(e.lhs(), variable);
    return a ? checked_mul(*a, e.rhs().value()) : std::nullopt;
  }
  const bool used = variable < 63 ? (e.node().variables >> variable & 1) != 0
                                  : std::ranges::binary_search(variables(e), variable);
  return used ? std::nullopt : std::optional<Index>(0);
}

}  // namespace tessera::detail
