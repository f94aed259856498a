// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the text of an expression parses back to the expression.
#pragma once

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Whether parsing the text of `expr` gives `expr`, except that the sign of a product may move. False if the
/// right operand of a sum is a sum, or the right operand of a product a product, because a + (b + c) is
/// written a + b + c; false if a sum is negated, because -(a + b) is parsed as -a - b. O(distinct nodes).
bool reads_as_itself(Expr expr);

}  // namespace tessera::detail
