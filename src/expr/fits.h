// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the evaluation of a text stays within 64 bits.
#pragma once

#include <optional>

#include "expr/workspace.h"

namespace tessera::detail {

/// No step of the evaluation leaves 64 bits within the bounds of the variables. True is proved. A side on
/// which a variable is unbounded does not count. O(nodes) of small trees, O(distinct nodes) of large ones,
/// and cheap where the numbers are far from the end.
bool fits(Workspace& ws, Expr text);

/// As `fits`, but `text` may leave 64 bits where `from`, the same function, does: each step lies within 64
/// bits, or between two steps of `from`, which have values wherever `from` has one. If the numbers come
/// near the end of 64 bits, only a text that reads back as itself qualifies: another order of steps may leave
/// 64 bits.
bool fits_like(Workspace& ws, Expr text, Expr from);

/// `text` with the summands of each sum in an order with which `fits_like` holds: the given one as far as it
/// goes. With d0 near 2^62 it is d0 - 2^62 + d0, not d0 + d0 - 2^62. Nothing if no such order is found.
std::optional<Expr> ordered_to_fit(Workspace& ws, Expr text, Expr from);

}  // namespace tessera::detail
