// SPDX-License-Identifier: Apache-2.0
/// \file
/// The range of an expression in a given workspace.
#pragma once

#include "expr/form/workspace.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// `tessera::range` in `ws`, from its start: `ws.steps_taken()` grows by the fuel that it uses.
Interval range_within(Workspace& ws, Expr expr, const Domain& domain, bool use_constraints = true);

}  // namespace tessera::detail
