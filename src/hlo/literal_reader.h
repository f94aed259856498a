// SPDX-License-Identifier: Apache-2.0
/// \file
/// The literals of constants: their form, checked against a type.
#pragma once

#include "hlo/lexer.h"
#include "tessera/hlo/hlo_type.h"

namespace tessera::detail {

/// Reads the literal of a value of this type: nesting, counts and every scalar are checked. Stores nothing.
/// Errors: syntax, bad_literal, number_range, limit. O(text); extents cost nothing.
bool read_literal(Lexer& lexer, const HloType& type, int depth = 0);

/// One scalar of an element type: `true`, `-3`, `1.5e-3`, `inf`, `nan(0x7f)`, `(1, -2)`.
bool read_scalar(Lexer& lexer, DType type);

}  // namespace tessera::detail
