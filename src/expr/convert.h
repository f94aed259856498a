// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts expressions to normal forms, and forms to a new environment.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// The normal form of an expression in the environment, memoized over the DAG:
///   x mod n = x - n*fl(x/n), x mod -n = x mod n, fl(x/-n) = fl(-x/n), ceil(x/n) = -fl(-x/n),
///   max(a,b) = b + max0(a-b), min(a,b) = a - max0(a-b); products distribute over sums.
/// Arithmetic that overflows, and division by anything but a constant, becomes an opaque operation.
const Form* convert(Workspace& ws, Expr expr);

/// The normal form of an operation, together with the other memos of the node in this generation.
Workspace::ConversionMemo& conversion(Workspace& ws, Expr operation);

/// The form with every atom made canonical again in the environment of this generation. Records an overflow
/// in the environment.
const Form* rebuild(Workspace& ws, const Form* form);

/// A variable in the environment: a point is a constant, a congruence gives modulus * scaled + residue.
const Form* variable_form(Workspace& ws, std::uint32_t number);

/// The same function with visible points replaced by their values, because they stay visible only in sums,
/// not below a division.
const Form* without_kept_points(Workspace& ws, const Form* form);

/// The same function with the equations among the facts substituted; a form with one value is that constant.
const Form* refine(Workspace& ws, const Form* form);

/// max(0, form) in canonical form.
const Form* max0(Workspace& ws, const Form* form);

}  // namespace tessera::detail
