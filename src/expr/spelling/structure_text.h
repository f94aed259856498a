// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of an expression that keeps the structure of its operations.
#pragma once

#include "expr/spelling/text.h"

namespace tessera::detail {

/// The first criterion when comparing two texts.
enum class Fewer : std::uint8_t { divisions, operators };

/// The cheaper of two texts: `spell(convert(e))`, and e's own operation applied to the cheapest texts of its
/// operands, found in the same way. Equal cost keeps the first. This keeps short mixed-radix texts of the
/// input. Spends `budget` (distinct nodes) and falls back to `spell` when it is used up.
Text structure_text(Workspace& ws, Expr e, Fewer fewer, int& budget);

/// Like `structure_text`, but counts operators and gives an expression. The operands of sums, products, min
/// and max are sorted. The result has no more operators than `e` unless it has more distinct nodes than
/// `Limits::structured_parts`.
Expr structure_expr(Workspace& ws, Expr e);

}  // namespace tessera::detail
