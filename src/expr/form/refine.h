// SPDX-License-Identifier: Apache-2.0
/// \file
/// Substitutes the equations of the environment into a form.
#pragma once

#include "expr/form/workspace.h"

namespace tessera::detail {

/// The same function with the equations among the facts substituted; a form with one value is that constant.
const Form* refine(Workspace& ws, const Form* form);

}  // namespace tessera::detail
