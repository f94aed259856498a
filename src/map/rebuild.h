// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rebuilds maps over other variables.
#pragma once

#include <span>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The variables of the new map, by kind.
struct VariableLists {
  std::vector<Variable> dims = {};
  std::vector<Variable> ranges = {};
  std::vector<Variable> runtimes = {};

  std::vector<Variable>& of(VariableKind kind);
  std::size_t count() const { return dims.size() + ranges.size() + runtimes.size(); }
  /// A domain with these variables, as from `with_unique_names`.
  Domain domain() &&;
};

/// A domain with these variables. Removes a variable's name if another variable prints with the same name.
Domain with_unique_names(std::vector<Variable> all, KindCounts counts);

/// `map` over the variables of `domain`, which has no constraints, with `replacements[i]` for its variable i.
IndexMap rebuild_over(const IndexMap& map, Domain domain, std::span<const Expr> replacements);

/// Keeps the variables i with kept[i], in order. The results must not use the others, which
/// `replacement_of_others` replaces.
IndexMap keep_variables(const IndexMap& map, const std::vector<bool>& kept,
                        Expr replacement_of_others = Expr());

}  // namespace tessera::detail
