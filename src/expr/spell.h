// SPDX-License-Identifier: Apache-2.0
/// \file
/// The shortest text of a normal form.
#pragma once

#include "expr/written.h"

namespace tessera::detail {

/// A written form equal to `form`, as short as the moves below make it; memoised for the generation. From
/// every quotient spelled on its own, repeat the best of these while the cost falls (c is the coefficient of
/// fl(M/n)):
///   mod        c*fl(M/n) + (terms of F) -> t * (F mod r), F = fl(M/(n/r)), r | n, t = -c/r
///   pull in    c*fl(M/n) + c*j*P -> c*fl((M + n*j*P)/n)
///   half       c*fl(M/n) - c*fl(M/(2n)) -> c*fl((M + n)/(2n))
///   max, min   max0(D) + b -> max(D + b, b), a - max0(D) -> min(a, a - D)
const Form* spell(Workspace& ws, const Form* form);

/// The cheapest text of the form and of those that equations among the facts make of it: with d0 + d1 = 2*q +
/// 1 the sum 7*q - 3*d1 is (d0 * 7 + d1 - 7) / 2.
const Form* spell_by_equations(Workspace& ws, const Form* form);

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
