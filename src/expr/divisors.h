// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds divisors that are or may be 0.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// Whether the expression contains a division by the constant 0. Such an expression has no value at any
/// point, and the parser rejects its text. O(distinct nodes).
bool divides_by_zero(Expr expr);

/// Whether some divisor is not a constant and so may be 0.
bool divides_by_variables(Expr expr);

/// Whether some divisor may be 0 at a point of the environment. O(nodes); true for trees of more than 4096
/// nodes.
bool may_divide_by_zero(Workspace& ws, Expr expr);

}  // namespace tessera::detail
