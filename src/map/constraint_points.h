// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constraints over boxes that are small enough to enumerate.
#pragma once

#include <vector>

#include "map/linear_constraint.h"

namespace tessera::detail {

/// Enumerates the points of the variables that occur in constraints. False if the domain has none.
/// Exact intervals and redundancy if points * terms is small, emptiness alone up to 2^16 points.
bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& environment_changed);

}  // namespace tessera::detail
