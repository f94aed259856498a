// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an expression becomes when its text is read.
#pragma once

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Whether reading the text of `expr` gives `expr`, except that a product's sign may move. Not if a sum or a
/// product has one of its own kind on its right, because a + (b + c) is written a + b + c, or if it negates a
/// sum, because -(a + b) is read as -a - b. O(distinct nodes).
bool reads_as_itself(Expr expr);

}  // namespace tessera::detail
