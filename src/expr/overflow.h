// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// Whether no step of the evaluation overflows 64 bits within the bounds of the variables. True only if
/// proved. Ignores a side on which a variable is unbounded. O(nodes) for small trees, O(distinct nodes) for
/// large ones, and cheap if the numbers are far below 2^63.
bool stays_in_64_bits(Workspace& ws, Expr expr);

/// As above, also for the expression that its text parses to: near 2^63, another order of steps may overflow.
bool text_stays_in_64_bits(Workspace& ws, Expr expr);

}  // namespace tessera::detail
