// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the evaluation of a text stays within 64 bits.
#pragma once

#include "expr/workspace.h"

namespace tessera::detail {

/// No step of the evaluation leaves 64 bits within the bounds of the variables: true is certain. A side on
/// which a variable is unbounded does not count. O(nodes) of small trees, O(distinct nodes) of large ones,
/// and cheap where the numbers are far from the end.
bool fits(Workspace& ws, Expr text);

/// As `fits`, but `text` may leave 64 bits where `from`, the same function, does: each step lies within 64
/// bits, or between two steps of `from`, which have values wherever `from` has one.
bool fits_like(Workspace& ws, Expr text, Expr from);

}  // namespace tessera::detail
