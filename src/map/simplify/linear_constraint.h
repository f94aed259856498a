// SPDX-License-Identifier: Apache-2.0
/// \file
/// One constraint and its normal form.
#pragma once

#include <optional>
#include <utility>

#include "expr/form/workspace.h"
#include "map/simplify/bound_propagation.h"

namespace tessera::detail {

/// `form` (no constant, coefficients without a common factor, the first one positive) lies in `range`.
struct LinearConstraint {
  const Form* form;
  Interval range;
};

/// The order of constraints: by their forms, then by their intervals.
inline bool precedes(const LinearConstraint& a, const LinearConstraint& b) {
  if (a.form != b.form) return compare_content(a.form, b.form) < 0;
  return std::pair(a.range.lower, a.range.upper) < std::pair(b.range.lower, b.range.upper);
}

/// The effect of a constraint on the domain: narrows it, none (the constraint always holds), or empties it.
enum class ConstraintEffect : std::uint8_t { narrows, none, empties };

/// Moves the constant, the common factor and the sign of the form into the interval. False if the interval
/// then contains no integer. The form must not be constant.
bool strip(Workspace& ws, LinearConstraint& c);

/// Normal form: constant and common factor move into the interval; constraints that always or never hold are
/// decided; a bound on a single variable, quotient or max0 becomes a bound on its inside; a quotient with
/// coefficient 1 or -1 is absorbed; a fine part that cannot matter is dropped; x mod n = r becomes a
/// congruence of the environment. Bounds of variables go to `bounds`.
ConstraintEffect normalize(Workspace& ws, BoundPropagation& bounds, LinearConstraint& c);

/// Turns rest + fl(M/n) = fl((n*rest + M)/n) in [l, u] into n*rest + M in [l*n, u*n + n-1], and rest -
/// fl(M/n) into rest + fl((-M + n-1)/n). Of several quotients, absorbs the one with the smallest n. False if
/// there is none, or if the numbers do not fit.
bool absorb_quotient(Workspace& ws, LinearConstraint& c);

/// For L = g*A + B in [l, u]: if every b in range(B) gives the same ceil((l-b)/g) and floor((u-b)/g), the
/// constraint depends only on A; then drops B and sets `changed`. Ignores a side that `reached`, the range of
/// L, implies. Facts of the environment bound B as a whole.
ConstraintEffect drop_fine(Workspace& ws, LinearConstraint& c, Interval reached, bool& changed);

/// If the constraint leaves one value of a digit, such as d0 mod 8 = 0 in d0 mod 8 * 128 + d1 in [0, 66],
/// takes the digit out of the constraint and returns the equation.
std::optional<LinearConstraint> split_off_digit(Workspace& ws, LinearConstraint& c);

}  // namespace tessera::detail
