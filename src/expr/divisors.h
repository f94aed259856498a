// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds divisors that may be 0.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// Whether some divisor may be 0 at a point of the environment. O(nodes); true for larger trees than
/// `Limits::tree_nodes`.
bool may_divide_by_zero(Workspace& ws, Expr expr);

}  // namespace tessera::detail
