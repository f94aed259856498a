// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shortens texts with equations.
#pragma once

#include "expr/text.h"

namespace tessera::detail {

/// The cheapest text of the form or of a form that is equal to it by the equations among the facts: with d0 +
/// d1 = 2*q + 1, the sum 7*q - 3*d1 is (d0 * 7 + d1 - 7) / 2. Of equally cheap texts, the form with the
/// fewest variables wins.
Text spell_by_equations(Workspace& ws, const Form* form);

}  // namespace tessera::detail
