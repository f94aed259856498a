// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime variables whose values the program determines.
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

/// Follows every runtime value of `indexing` to its origin, and replaces the variable by what is known:
/// constants (splats at any index), iotas, and integer arithmetic on them that cannot leave its type, each
/// clamped as the instruction clamps it. Follows broadcast, reshape, bitcast, transpose, slice, reverse,
/// copy, the inside of a pad, conversions that keep the value, tuples, calls, fusions and, with a resolver,
/// parameters. Values that stay unknown keep their variable, with the last source found.
/// A constraint keeps the value of a replaced variable in its interval, unless that is certain. Runtime maps
/// must have the dimensions of the map, alone or with all its range (and then all its runtime) variables. The
/// map is not simplified afterward. Returns whether anything changed. Exact.
bool fold_runtime(OperandIndexing& indexing, const FoldOptions& options = {});

/// Replaces runtime variable `which` by `value`, over the other variables of the map. A constraint keeps it
/// in the variable's interval. Otherwise as above.
void replace_runtime(OperandIndexing& indexing, std::size_t which, Expr value);

/// The same for any range variable, by its number among all variables.
void replace_variable(OperandIndexing& indexing, std::size_t variable, Expr value);

/// Replaces every range variable to which a constraint leaves one value: `d0 - s0 * 2 in [0, 1]` allows at
/// most one s0, d0 / 2. Drops those that occur only in a constraint: `d0 + s0 in [0, 4]` with s0 in [0, 2]
/// means `d0 in [-2, 4]`. The same relation; the map is not simplified. Returns whether anything changed.
bool solve_ranges(OperandIndexing& indexing);

}  // namespace tessera
