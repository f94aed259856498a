// SPDX-License-Identifier: Apache-2.0
/// \file
/// Facts about an expression that do not depend on the bounds of its variables, computed once per node.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// Measures an expression with at most kLimits.tree_nodes nodes. O(1) for a node that was measured recently,
/// in this simplification or an earlier one; otherwise O(nodes).
Measure measure(Workspace& ws, Expr e);

/// The number of bits of |v|, or of every |v| within bounds.
int bits_of(Index v);
int bits_of(Interval bounds);

}  // namespace tessera::detail
