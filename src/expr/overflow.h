// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// No step of the evaluation leaves 64 bits within the bounds of the variables. True is proved. A side on
/// which a variable is unbounded does not count. O(nodes) of small trees, O(distinct nodes) of large ones,
/// and cheap where the numbers are far from the end.
bool stays_in_64_bits(Workspace& ws, Expr expr);

/// So does what its text reads back as: near the end of 64 bits another order of steps may leave them.
bool text_stays_in_64_bits(Workspace& ws, Expr expr);

}  // namespace tessera::detail
