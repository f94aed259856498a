// SPDX-License-Identifier: Apache-2.0
/// \file
/// At how many points of a box an expression is zero.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/expr/expr.h"
#include "tessera/expr/interval.h"

namespace tessera::detail {

/// The limit on points and combinations that are visited.
inline constexpr Index kMaxZeroSteps = Index{1} << 20;

/// The number of points of a finite box where `e` is 0; nothing beyond kMaxZeroSteps or if `e` has no value.
/// Variables that do not occur in the same nonlinear term are handled separately, so that a transpose of 10^5
/// x 10^5 elements takes 10^5 steps.
std::optional<Index> count_zeros(Expr e, std::span<const Interval> box);

/// The first point, in lexicographic order, where `e` is not 0, and whether the whole box was searched.
struct FirstNonzero {
  std::vector<Index> point = {};  ///< empty: none was found
  bool complete = false;          ///< there is none
};
FirstNonzero first_nonzero(Expr e, std::span<const Interval> box);

}  // namespace tessera::detail
