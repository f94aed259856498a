// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps whose first dimension is the number of an iteration.
#pragma once

#include <cstddef>
#include <vector>

#include "hlo/indexing/variables.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// `count` variables: `first`, `first + 1`, ...
std::vector<Expr> variables_from(std::size_t first, std::size_t count);

/// Calls `function(map, all)` with every map of the indexing. `all`: the map has all variables of the
/// indexing, not only its dimensions.
template <class Function>
void for_each_map(Indexing& x, const Function& function) {
  const std::size_t all = x.map.variables().size();
  for (RuntimeValue& value : x.runtime) function(value.map, value.map.variables().size() == all);
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) function(hop.map, hop.map.variables().size() == all);
  }
  function(x.map, true);
}

/// The map with one more dimension before the others. Its interval is `bounds`.
IndexMap with_dimension(const IndexMap& map, Interval bounds);

/// Replaces dimension 0 by another one with these bounds. `value`: the former dimension 0 as an expression
/// over the new dimensions. `first`: results that are added before those of the map. Simplifies the indexing;
/// an unknown one stays as it is.
Indexing retimed(Indexing x, Interval bounds, Expr value, std::vector<Expr> first);

/// Makes a dimension or a runtime variable, given by its number, the last range variable of the indexing.
void make_range(Indexing& x, std::size_t variable);

/// Whether every member is known empty.
bool reads_nothing(const IndexingSet& maps);

}  // namespace tessera::detail
