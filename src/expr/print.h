// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an expression becomes when its text is read.
#pragma once

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Whether parsing the text of `expr` gives `expr`, except that a product's sign may move. False if the right
/// operand of a sum is a sum or that of a product a product, because a + (b + c) is written a + b + c, and if
/// a sum is negated, because -(a + b) is parsed as -a - b. O(distinct nodes).
bool reads_as_itself(Expr expr);

}  // namespace tessera::detail
