// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an expression becomes when its text is read.
#pragma once

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Reading the text of `expr` gives `expr`, up to where a product has its sign. Not so where a sum joins the
/// sum around, a + (b + c) being written a + b + c, or where something not canonical follows a minus.
/// O(distinct nodes).
bool reads_as_itself(Expr expr);

}  // namespace tessera::detail
