// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constraints over boxes that are small enough to look at every point.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "map/linear_constraint.h"

namespace tessera::detail {

/// Looks at every point of the variables that occur in constraints. False when there is none.
/// Exact intervals and redundancy where points * terms is small, emptiness alone up to 2^16 points.
bool decide_by_points(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& environment_changed);

/// The value of a form at a point; nothing where it has none or a step leaves 64 bits.
std::optional<Index> evaluate(const Form* form, std::span<const Index> values);

}  // namespace tessera::detail
