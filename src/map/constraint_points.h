// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constraints over boxes that are small enough to look at every point.
#pragma once

#include <vector>

#include "map/linear_constraint.h"

namespace tessera::detail {

/// Looks at every point of the variables that occur in constraints. False when there is none.
/// Exact intervals and redundancy where points * terms is small, emptiness alone up to 2^16 points.
bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& environment_changed);

}  // namespace tessera::detail
