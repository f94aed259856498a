// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime variables whose values the program determines.
#pragma once

#include "hlo/walk/element_value.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera {

struct FoldOptions {
  detail::ElementOptions elements = {};  ///< `modular` must be false
  /// Replace a variable by the only value that its clamp allows. Off for the maps of a single instruction,
  /// which show all start indices.
  bool single_values = false;
};

/// Traces every runtime value of `indexing` to its origin and replaces the variable if its value is known:
/// constants (splats at any index), iotas, and integer arithmetic on them that cannot overflow, clamped as
/// the instruction clamps it. Traces through broadcast, reshape, bitcast, transpose, slice, reverse, copy,
/// the inside of a pad, conversions that keep the value, tuples, calls, fusions and, with a resolver,
/// parameters. Other variables stay, with the source nearest to the origin. A constraint keeps the value of a
/// replaced variable in the variable's interval, unless it is always there. Runtime maps must have the
/// dimensions of the map, alone or with all its range (and then all its runtime) variables. Does not simplify
/// the map. Returns whether anything changed. Exact.
bool fold_runtime(OperandIndexing& indexing, const FoldOptions& options = {});

/// Replaces runtime variable `which` by `value`, an expression over the other variables of the map. A
/// constraint keeps it in the variable's interval. Requires the same of runtime maps as fold_runtime.
void replace_runtime(OperandIndexing& indexing, std::size_t which, Expr value);

/// Replaces any range or runtime variable, given by its number among all variables, in the same way.
void replace_variable(OperandIndexing& indexing, std::size_t variable, Expr value);

/// Replaces every range variable that a constraint determines: `d0 - s0 * 2 in [0, 1]` allows only s0 = d0
/// floordiv 2. Drops range variables that occur in only one constraint: `d0 + s0 in [0, 4]` with s0 in [0, 2]
/// means `d0 in [-2, 4]`. The relation stays the same; the map is not simplified. Returns whether anything
/// changed.
bool solve_ranges(OperandIndexing& indexing);

}  // namespace tessera
