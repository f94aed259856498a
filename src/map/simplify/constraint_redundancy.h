// SPDX-License-Identifier: Apache-2.0
/// \file
/// Constraints that follow from others.
#pragma once

#include <vector>

#include "map/simplify/linear_constraint.h"

namespace tessera::detail {

/// Drops constraints that the others imply and replaces those that the others shorten (`replaced`). False if
/// no point is left.
bool drop_redundant(Workspace& ws, std::vector<LinearConstraint>& constraints, bool& replaced);

}  // namespace tessera::detail
