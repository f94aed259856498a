// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expr/form/workspace.h"

namespace tessera::detail {

/// What an infinite bound of a variable says about steps that overflow.
enum class InfiniteBound : std::uint8_t {
  small_enough,  ///< the variable has no values for which a step overflows on this side
  all_values,    ///< the variable may have all values up to the end of 64 bits
};

/// Whether no step of the evaluation overflows 64 bits within the bounds of the variables. True only if
/// proved. O(nodes) for small trees, O(distinct nodes) for large ones, and cheap if the numbers are far below
/// 2^63.
bool stays_in_64_bits(Workspace& ws, Expr expr, InfiniteBound infinite = InfiniteBound::small_enough);

/// As above, also for the expression that its text parses to: near 2^63, another order of steps may overflow.
bool text_stays_in_64_bits(Workspace& ws, Expr expr, InfiniteBound infinite = InfiniteBound::small_enough);

}  // namespace tessera::detail
