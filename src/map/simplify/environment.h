// SPDX-License-Identifier: Apache-2.0
/// \file
/// The environment of a map: its variables, its fuel, and what it refuses.
#pragma once

#include "expr/form/workspace.h"
#include "expr/questions/overflow.h"
#include "map/simplify/constraint_system.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// The fuel for an input, ample for anything that takes linear time.
std::uint64_t work_for(std::span<const Constraint> constraints, std::span<const Expr> results);

/// Whether an expression is deeper than recursion may go; such maps stay as given.
bool too_deep(std::span<const Constraint> constraints, std::span<const Expr> results);

/// Starts a new environment with the bounds of the variables, without the constraints.
void start(Workspace& ws, const Domain& domain, std::uint64_t work);

/// Whether no step of a constraint or a result overflows 64 bits at a point of the domain, as it is written
/// and as its text is read. True only if proved.
bool each_stays_in_64_bits(const IndexMap& map, InfiniteBound infinite = InfiniteBound::small_enough);

/// Whether every constraint and every result also has a value at all points of the domain: no divisor is 0.
/// True only if proved.
bool has_values(const IndexMap& map, InfiniteBound infinite = InfiniteBound::small_enough);

/// The reason if `has_values` is false.
inline constexpr const char* kMayLackValues = "a step may exceed 64 bits or divide by 0";

/// What infinite bounds say in a map that was computed from `map`: if all variables of `map` are finite, they
/// are only the bounds of numbers that reach the ends of 64 bits.
InfiniteBound infinite_bounds_after(const IndexMap& map);

/// Whether the text of the map parses to the same expressions: near 2^63, other steps may overflow.
bool each_reads_as_itself(const IndexMap& map);

/// The simplified map; or if the map may lack values on its domain, where simplified results may have some,
/// its results over the simplified domain.
IndexMap simplify_with_same_values(const IndexMap& map);

/// The domain with the bounds of the environment and the constraints of the solved system, as expressions.
Domain spelled_domain(Workspace& ws, const Domain& domain, ConstraintSystem& system);

}  // namespace tessera::detail
