// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds steps without a value.
#pragma once

#include "expr/form/workspace.h"

namespace tessera::detail {

/// Whether some divisor may be 0 at a point of the environment. O(nodes); true for larger trees than
/// `Limits::tree_nodes`.
bool may_divide_by_zero(Workspace& ws, Expr expr);

/// Whether a step has no value at any point because its operands are numbers: all others are folded when they
/// are made. O(distinct nodes).
bool lacks_value(Expr expr);

}  // namespace tessera::detail
