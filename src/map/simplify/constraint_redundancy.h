// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constraints that follow from others, and constraints that contradict each other.
#pragma once

#include <vector>

#include "map/simplify/linear_constraint.h"

namespace tessera::detail {

/// Drops what the other constraints imply and replaces what they shorten (`replaced`). False when no point is
/// left.
bool drop_redundant(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& replaced);

/// Linear constraints in two variables are decided exactly, each pair of variables on its own. False when a
/// pair has no point.
bool pairs_have_points(Workspace& ws, std::span<const LinearConstraint> constraints);

}  // namespace tessera::detail
