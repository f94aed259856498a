// SPDX-License-Identifier: Apache-2.0
/// \file
/// Expressions without a value.
#pragma once

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Whether it contains a division by the constant 0. Such an expression has no value at any point, and no
/// text that parses.
bool divides_by_zero(Expr expr);

/// Whether some divisor is not a constant and so may be 0.
bool divides_by_variables(Expr expr);

}  // namespace tessera::detail
