// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constraints over boxes that are small enough to enumerate.
#pragma once

#include <vector>

#include "map/simplify/linear_constraint.h"

namespace tessera::detail {

/// Evaluates the constraints at every point of a box of at most 2^16 points. False if no point satisfies all.
/// Where points * terms is small, the variables and the constraints also get the least intervals that hold
/// their values, and constraints that the others imply are dropped.
bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& environment_changed);

}  // namespace tessera::detail
