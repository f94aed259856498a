// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions that are affine where the constraints hold.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// The affine form with the values of `form` at every point where the facts of the environment hold; null
/// where there is none, the box of the variables is not small, or no point is left. Every point is compared:
/// exact.
const Form* affine_fit(Workspace& ws, const Form* form);

}  // namespace tessera::detail
