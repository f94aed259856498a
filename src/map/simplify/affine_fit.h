// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds functions that are affine where the constraints hold.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// The affine form with the values of `form` at every point where the facts of the environment hold; null if
/// there is none, if the box of the variables is not small, or if no point satisfies the facts. Exact: every
/// point is compared.
const Form* affine_fit(Workspace& ws, const Form* form);

}  // namespace tessera::detail
