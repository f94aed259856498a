// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shortens texts by means of equations.
#pragma once

#include "expr/spelling/text.h"

namespace tessera::detail {

/// The cheapest text of the form, or of a form that the equations among the facts make equal to it: with d0 +
/// d1 = 2*q + 1, the sum 7*q - 3*d1 is (d0 * 7 + d1 - 7) / 2. Among equally cheap texts, the form with the
/// fewest variables wins.
Text spell_by_equations(Workspace& ws, const Form* form);

}  // namespace tessera::detail
