// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of one result.
#pragma once

#include "expr/form/workspace.h"
#include "map/simplify/point_fit.h"

namespace tessera::detail {

/// The shortest text found for `expr` in the environment, with a value wherever `expr` has one, and with no
/// more operators than `expr` unless it is linear or has fewer divisions. Idempotent. `points` is for all
/// results in the environment.
Expr result_text(Workspace& ws, PointFit& points, Expr expr);

}  // namespace tessera::detail
