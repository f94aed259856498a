// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts the points of a box where an expression is zero.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// The number of points of a finite box where `e` is 0; empty if that takes more than
/// kHloLimits.analysis.zero_steps, or if `e` has no value at a point. Variables that share no nonlinear term
/// are counted separately, so a transpose of 10^5 x 10^5 elements takes 10^5 steps.
std::optional<Index> count_zeros(Expr e, std::span<const Interval> box);

/// The first point, in lexicographic order, at which an expression is not 0.
struct FirstNonzero {
  std::vector<Index> point = {};  ///< empty: no such point was found
  bool complete = false;          ///< the whole box was searched
};
FirstNonzero first_nonzero(Expr e, std::span<const Interval> box);

}  // namespace tessera::detail
