// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the text of an expression parses back to the expression.
#pragma once

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Whether parsing the text of `expr` gives `expr`, except that the sign of a product may move. False if a
/// right operand joins its sum or product; false if a sum is negated, because -(a + b) is parsed as -a - b.
/// O(distinct nodes).
bool reads_as_itself(Expr expr);

/// Whether `rhs` is printed without parentheses as the right operand of a sum or a product of the same kind,
/// so that its parts join those around it: a + (b + c) is written a + b + c.
bool joins(ExprKind kind, Expr rhs);

}  // namespace tessera::detail
