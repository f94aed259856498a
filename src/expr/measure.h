// SPDX-License-Identifier: Apache-2.0
/// \file
/// Facts about an expression that do not depend on the bounds of its variables, computed once per node.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// The largest tree to measure, because the walk may visit shared parts repeatedly.
inline constexpr std::uint32_t kLargestMeasured = 4096;

/// Measures an expression with at most kLargestMeasured nodes. O(1) for a node that was measured recently, in
/// this simplification or an earlier one; otherwise O(nodes).
Measure measure(Workspace& ws, Expr e);

/// The number of bits of |v|, or of every |v| within bounds.
int bits_of(Index v);
int bits_of(Interval bounds);

}  // namespace tessera::detail
