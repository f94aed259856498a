// SPDX-License-Identifier: Apache-2.0
/// \file
/// Simplification in a given workspace.
#pragma once

#include "expr/form/workspace.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// `tessera::simplify` in `ws`, from its start: `ws.steps_taken()` grows by the fuel that it uses. The map is
/// not known to be empty and not too deep.
IndexMap simplified(Workspace& ws, const IndexMap& map, Points points = Points::replace);
Expr simplified(Workspace& ws, Expr expr, const Domain& domain);

}  // namespace tessera::detail
