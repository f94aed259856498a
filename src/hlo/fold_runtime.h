// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime variables whose values the program tells.
#pragma once

#include "hlo/element_value.h"
#include "tessera/hlo/operand_maps.h"

namespace tessera {

struct FoldOptions {
  detail::ElementOptions elements = {};  ///< `modular` is off
  /// A variable whose clamp leaves one value becomes that value. Off for the maps of a single instruction,
  /// which show all start indices.
  bool single_values = false;
};

/// Follows every runtime value of `indexing` to where it comes from, and replaces the variable by what is
/// known: constants (splats at any index), iotas, and integer arithmetic on them that cannot leave its type,
/// each clamped as the instruction clamps it. The way leads through broadcast, reshape, bitcast, transpose,
/// slice, reverse, copy, the inside of a pad, conversions that keep the value, tuples, calls, fusions and,
/// with a resolver, parameters. Values that stay unknown keep their variable, with the source found last.
///
/// The value of a variable that is replaced has to lie in its interval: a constraint says so, where it is not
/// plain. Runtime maps must have the dimensions of the map, alone or with all its range (and then all its
/// runtime) variables. The map is not simplified afterwards. Returns whether anything changed. Exact.
bool fold_runtime(OperandIndexing& indexing, const FoldOptions& options = {});

/// Puts `value`, over the other variables of the map, in the place of runtime variable `which`. A constraint
/// keeps it in the variable's interval. The rest as above.
void replace_runtime(OperandIndexing& indexing, std::size_t which, Expr value);

/// The same for any range variable, by its number among all variables.
void replace_variable(OperandIndexing& indexing, std::size_t variable, Expr value);

/// Replaces every range variable to which a constraint leaves one value: with `d0 - s0 * 2 in [0, 1]` there
/// is one s0 at most, d0 / 2. Drops those that only a constraint mentions: `d0 + s0 in [0, 4]`, s0 in [0, 2]
/// says `d0 in [-2, 4]`. The same relation; the map is not simplified. Returns whether anything changed.
bool solve_ranges(OperandIndexing& indexing);

}  // namespace tessera
