// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of one result.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// The shortest text found for `expr` in the environment, with a value wherever `expr` has one, and with no
/// more operators unless it is linear. Another call changes nothing.
Expr result_text(Workspace& ws, Expr expr);

}  // namespace tessera::detail
