// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations on normal forms.
#pragma once

#include "expr/form/workspace.h"

namespace tessera::detail {

/// The product, distributed over both sums; an overflow if it has too many terms or a coefficient overflows.
const Form* times(Workspace& ws, const Form* a, const Form* b);

/// The quotient or remainder (floor_div, ceil_div or mod) of a by any constant n except 0.
const Form* division(Workspace& ws, ExprKind kind, const Form* a, Index n);

/// The same for any divisor. A divisor that varies or is 0 becomes an opaque operation; if it may be 0, the
/// environment records that the expression is partial.
const Form* division(Workspace& ws, ExprKind kind, const Form* a, const Form* b);

/// min(a, b) or max(a, b), expressed by max0.
const Form* extremum(Workspace& ws, ExprKind kind, const Form* a, const Form* b);

/// a `kind` b as an opaque operation. Of a * b and -a * -b, which are equal, the one whose first factor
/// begins with a positive term.
const Form* opaque_operation(Workspace& ws, ExprKind kind, const Form* a, const Form* b);

/// a `kind` b, or the opaque operation if that overflows. Requires operands that did not overflow.
const Form* operation(Workspace& ws, ExprKind kind, const Form* a, const Form* b);

/// max(0, form) in canonical form.
const Form* max0(Workspace& ws, const Form* form);

}  // namespace tessera::detail
