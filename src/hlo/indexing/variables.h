// SPDX-License-Identifier: Apache-2.0
/// \file
/// The variables of an indexing: maps without some of them, or with more.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// The expressions with variable i replaced by `numbering[i]`.
std::vector<Expr> renumbered(std::span<const Expr> exprs, std::span<const Expr> numbering);

/// Sets the flags of the variables that occur in the expressions.
void mark_used(std::span<const Expr> exprs, std::vector<bool>& used);
/// Whether a result uses a range or runtime variable.
bool uses_symbols(const IndexMap& map);

/// The map with only these variables, without constraints that use others. Results must use only kept
/// variables.
IndexMap only_variables(const IndexMap& map, const std::vector<bool>& keep);
IndexMap keep_dimensions(const IndexMap& map);

/// The place of the first range and the first runtime variable of a map among those of a larger domain.
struct SymbolPlaces {
  std::size_t range = 0;
  std::size_t runtime = 0;
};

/// `map` with all symbols of `domain`; `first` is where the map's own symbols begin among them.
IndexMap spread(const IndexMap& map, const Domain& domain, SymbolPlaces first);

/// Adds a last runtime variable with these bounds, whose value does not depend on an index.
void add_runtime(Indexing& x, RuntimeValue value, Interval bounds);

/// Whether the hop depends on the element, so that its map has the variables of the indexing's map. Other
/// hops depend on the replica only.
inline bool over_elements(const ReplicaHop& hop) { return hop.from == ReplicaHop::From::element; }

/// Replaces runtime variable `which` by `value`, an expression over the other variables of the map. A
/// constraint keeps the value in the variable's interval. Runtime maps must have the dimensions of the map,
/// alone or with all its range (and then all its runtime) variables.
void replace_runtime(Indexing& indexing, std::size_t which, Expr value);

/// Replaces any range or runtime variable, given by its number among all variables, in the same way.
void replace_variable(Indexing& indexing, std::size_t variable, Expr value);

}  // namespace tessera::detail
