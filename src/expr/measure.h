// SPDX-License-Identifier: Apache-2.0
/// \file
/// Facts about an expression that need no bounds of its variables, computed once for each node.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// The largest tree to measure: a walk may visit shared parts again.
inline constexpr std::uint32_t kLargestMeasured = 4096;

/// Of an expression with at most kLargestMeasured nodes. O(1) for a node that was measured recently, in this
/// simplification or an earlier one; otherwise O(nodes).
Measure measure(Workspace& ws, Expr e);

/// The bits of |v|, and of every |v| within bounds.
int bits_of(Index v);
int bits_of(Interval bounds);

}  // namespace tessera::detail
