// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constraints over boxes that are small enough to enumerate.
#pragma once

#include <vector>

#include "map/simplify/linear_constraint.h"

namespace tessera::detail {

/// Evaluates the constraints at every point of a box of at most 2^16 points. False if no point satisfies all.
/// If points * terms is at most `work`, which it then takes, it also narrows the variables and the
/// constraints to the least intervals that contain their values, and drops constraints that the others imply.
bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, std::uint64_t& work,
                      bool& environment_changed);

}  // namespace tessera::detail
