// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the literals of constants against their types.
#pragma once

#include "hlo/syntax/lexer.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// Skips the literal of a value of this type and checks its nesting, counts and scalars. Errors: syntax,
/// bad_literal, number_range, limit. O(text), whatever the extents.
bool read_literal(HloLexer& lexer, const HloType& type, int depth = 0);

/// Skips one scalar of an element type: `true`, `-3`, `1.5e-3`, `inf`, `nan(0x7f)`, `(1, -2)`.
bool read_scalar(HloLexer& lexer, DType type);

}  // namespace tessera::detail
