// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of an expression in its own words.
#pragma once

#include "expr/written.h"

namespace tessera::detail {

/// What counts first between two texts.
enum class Fewer : std::uint8_t { divisions, operators };

/// The cheaper text of `spell(convert(e))` and of e's own operation over the cheapest texts of its operands,
/// over the whole DAG below e; equal cost keeps the first. Normal form loses no short mixed-radix text of the
/// input this way. Spends `budget` (distinct nodes) and falls back to `spell` when it is used up.
const Form* spell_like(Workspace& ws, Expr e, Fewer fewer, int& budget);

/// `spell_like` by operators as an expression: the operands of sums, products, min and max in order. More
/// operators than `e` has only a result with more than 40 distinct nodes.
Expr in_own_words(Workspace& ws, Expr e);

}  // namespace tessera::detail
