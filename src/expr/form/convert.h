// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts expressions to normal forms.
#pragma once

#include "expr/form/workspace.h"

namespace tessera::detail {

/// The normal form of an expression in the environment, memoized over the DAG:
///   x mod n = x - n*fl(x/n), x mod -n = x mod n, fl(x/-n) = fl(-x/n), ceil(x/n) = -fl(-x/n),
///   max(a,b) = b + max0(a-b), min(a,b) = a - max0(a-b); products distribute over sums.
/// Arithmetic that overflows, and division by anything but a constant, becomes an opaque operation.
const Form* convert(Workspace& ws, Expr expr);

/// The normal form of an operation, together with the other memos of the node in this generation.
ConversionMemo& conversion(Workspace& ws, Expr operation);

}  // namespace tessera::detail
