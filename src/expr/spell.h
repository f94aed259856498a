// SPDX-License-Identifier: Apache-2.0
/// \file
/// The shortest text of a normal form.
#pragma once

#include "expr/written.h"

namespace tessera::detail {

/// A written form equal to `form`, as short as offers make it; memoized for the generation. From every
/// summand spelled on its own (piece.h), the best move (quotient_moves.h, max_moves.h) is taken while the
/// cost falls.
const Form* spell(Workspace& ws, const Form* form);

/// Whether the form has atoms other than variables.
bool needs_spelling(const Form* form);

}  // namespace tessera::detail
