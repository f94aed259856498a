// SPDX-License-Identifier: Apache-2.0
/// \file
/// The canonical quotient: where simplification happens.
#pragma once

#include "expr/form/range.h"

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

}  // namespace tessera::detail
