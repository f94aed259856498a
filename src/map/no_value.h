// SPDX-License-Identifier: Apache-2.0
/// \file
/// Expressions without a value.
#pragma once

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Something in it is divided by the constant 0: it has no value at any point, and no text that can be read
/// back.
bool divides_by_zero(Expr expr);

/// Some divisor is not a number: the values of its variables may make it 0.
bool divides_by_variables(Expr expr);

}  // namespace tessera::detail
