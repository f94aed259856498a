// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of one result.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// The shortest text found for `expr` in the environment, with a value wherever `expr` has one, and with no
/// more operators than `expr` unless it is linear. Idempotent.
Expr result_text(Workspace& ws, Expr expr);

}  // namespace tessera::detail
