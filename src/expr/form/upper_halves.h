// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quotients of the same terms that determine each other.
#pragma once

#include "expr/form/form.h"
#include "expr/form/workspace.h"

namespace tessera::detail {

/// For each two quotients of the same terms, in a sum:
///   - Hermite: fl(y/n) + fl((y + n/2)/n) = fl(y/(n/2)) for even n. Replaces one of two such quotients by the
///     quotient of n/2 minus the other if that leaves fewer quotients, or as many quotients but not the one
///     with the larger constant.
///   - A quotient with two values only says whether y reaches an edge. Two with the same edge differ by a
///     constant: fl((x + 16)/32) = fl(x/16) for x in [0, 31]. Keeps that with the smaller divisor.
const Form* merge_pairs(Workspace& ws, const Form* form);

/// Replaces fl((y + n/2)/n) by fl(y/(n/2)) - fl(y/n) unless that adds quotients, as merge_pairs does next to
/// fl(y/n). An equation needs that because it is added to forms that merge_pairs then changes: with q, r and
/// s for the three quotients, s = 2*r - 1 would turn a*q + b*r = (a-b)*q + b*s into (a-b)*q + 2*b*r - b,
/// without end.
const Form* without_upper_halves(Workspace& ws, const Form* form);

/// The form in quotients of which digits consist: fl((y + n/2)/n) as above if y has no constant, and a
/// quotient with two values with the smallest divisor that gives the same edge. The form itself if it has
/// none of them.
const Form* in_digits(Workspace& ws, const Form* form);

}  // namespace tessera::detail
