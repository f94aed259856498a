// SPDX-License-Identifier: Apache-2.0
/// \file
/// Forms in an environment that changed.
#pragma once

#include "expr/form/workspace.h"

namespace tessera::detail {

/// The form with every atom made canonical again in the environment of this generation. Records an overflow
/// in the environment.
const Form* rebuild(Workspace& ws, const Form* form);

/// A variable in the environment: a point is a constant, a congruence gives modulus * scaled + residue.
const Form* variable_form(Workspace& ws, std::uint32_t number);

/// The same function with visible points replaced by their values, because they stay visible only in sums,
/// not below a division.
const Form* without_kept_points(Workspace& ws, const Form* form);

}  // namespace tessera::detail
