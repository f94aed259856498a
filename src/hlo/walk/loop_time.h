// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps over the number of an iteration, which is their first dimension.
#pragma once

#include <cstddef>
#include <vector>

#include "hlo/indexing/variables.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// Variables `first`, `first + 1`, ..., as many as `count`.
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

/// The map with one more dimension, the first, whose interval is `bounds`.
IndexMap with_dimension(const IndexMap& map, Interval bounds);

/// The indexing with dimension 0 replaced by one with these bounds; `value` is the former dimension in terms
/// of it. The results of the map come after `first`. Simplified; unknown indexings stay as they are.
Indexing retimed(Indexing x, Interval bounds, Expr value, std::vector<Expr> first);

/// The variable becomes the last range variable of the indexing.
void make_range(Indexing& x, std::size_t variable);

/// No member reads anything, and none is unknown.
bool reads_nothing(const IndexingSet& maps);

}  // namespace tessera::detail
