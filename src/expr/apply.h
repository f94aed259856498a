// SPDX-License-Identifier: Apache-2.0
/// \file
/// Applies operations to numbers.
#pragma once

#include <algorithm>
#include <optional>

#include "tessera/base/index.h"
#include "tessera/expr/expr.h"

namespace tessera::detail {

/// a `kind` b; empty after a division by 0 or an overflow.
inline std::optional<Index> apply(ExprKind kind, Index a, Index b) {
  switch (kind) {
    case ExprKind::add:
      return checked_add(a, b);
    case ExprKind::mul:
      return checked_mul(a, b);
    case ExprKind::mod:
      if (b == 0 || b == kIndexMin) return std::nullopt;
      return mod(a, b);
    case ExprKind::floor_div:
      return checked_floor_div(a, b);
    case ExprKind::ceil_div:
      if (b == 0 || (a == kIndexMin && b == -1)) return std::nullopt;
      return ceil_div(a, b);
    case ExprKind::max:
      return std::max(a, b);
    case ExprKind::min:
      return std::min(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::detail
