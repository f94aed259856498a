// SPDX-License-Identifier: Apache-2.0
/// \file
/// The canonical quotient: where simplification happens.
#pragma once

#include "expr/range.h"

namespace tessera::detail {

/// The canonical form of floor(form / divisor), divisor >= 1. Steps, with fl for floor; the first step that
/// applies gives the result (see floor_div.cc for each identity and its side condition):
///   block     all values are in one block of length n: a constant
///   extract   multiples of n leave the quotient
///   sign      fl(N/n) = -fl((-N + n-1)/n): one of the two is canonical
///   fine      drops a part smaller than the gcd of the other terms
///   flatten   a quotient inside a quotient becomes one atom; otherwise the quotient is an atom
/// Memoized for the generation. If a step overflows or the fuel runs out, the result is the plain atom; an
/// overflow stays an overflow.
const Form* divide(Workspace& ws, const Form* form, Index divisor);

/// Hermite: fl(y/n) + fl((y + n/2)/n) = fl(y/(n/2)) for even n. Replaces one of two such quotients by the
/// quotient of n/2 minus the other if that leaves fewer quotients, or as many quotients but not the one with
/// the larger constant.
const Form* merge_pairs(Workspace& ws, const Form* form);

/// Replaces fl((y + n/2)/n) by fl(y/(n/2)) - fl(y/n) unless that adds quotients, as merge_pairs does next to
/// fl(y/n). An equation needs that because it is added to forms that merge_pairs then changes: with q, r and
/// s for the three quotients, s = 2*r - 1 would turn a*q + b*r = (a-b)*q + b*s into (a-b)*q + 2*b*r - b,
/// without end.
const Form* without_upper_halves(Workspace& ws, const Form* form);

}  // namespace tessera::detail
