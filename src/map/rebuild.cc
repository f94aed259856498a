// SPDX-License-Identifier: Apache-2.0
#include "map/rebuild.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/small_vector.h"

namespace tessera::detail {

std::vector<Variable>& VariableLists::of(VariableKind kind) {
  if (kind == VariableKind::dimension) return dims;
  return kind == VariableKind::range ? ranges : runtimes;
}

Domain VariableLists::domain() && {
  const KindCounts counts{.dims = dims.size(), .ranges = ranges.size()};
  std::vector<Variable> all = std::move(dims);
  all.insert(all.end(), ranges.begin(), ranges.end());
  all.insert(all.end(), runtimes.begin(), runtimes.end());
  return with_unique_names(std::move(all), counts);
}

Domain with_unique_names(std::vector<Variable> all, KindCounts counts) {
  const auto named = [](const Variable& variable) { return !variable.name.empty(); };
  // A variable without a name prints with its default name, which may be another variable's name, so this
  // repeats until nothing changes.
  for (bool changed = std::ranges::any_of(all, named); changed;) {
    changed = false;
    const Domain domain = Domain::of(all, counts);
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].name.empty()) seen.insert(domain.name(i));
    }
    for (Variable& variable : all) {
      if (variable.name.empty() || seen.insert(variable.name.str()).second) continue;
      variable.name.clear();
      changed = true;
    }
  }
  return Domain::of(std::move(all), counts);
}

IndexMap rebuild_over(const IndexMap& map, Domain domain, std::span<const Expr> replacements) {
  if (map.known_empty()) return IndexMap::empty(domain, map.results().size());
  domain.reserve_constraints(map.constraints().size());
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, replacements), c.range);
  std::vector<Expr> results;
  results.reserve(map.results().size());
  for (const Expr e : map.results()) results.push_back(substitute(e, replacements));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

IndexMap keep_variables(const IndexMap& map, const std::vector<bool>& kept, Expr replacement_of_others) {
  const std::size_t count = kept.size();
  std::vector<Variable> all;
  all.reserve(count);
  SmallVector<Expr> replacements(count, replacement_of_others);
  KindCounts counts;
  for (std::size_t i = 0; i < count; ++i) {
    if (!kept[i]) continue;
    replacements[i] = Expr::variable(static_cast<Index>(all.size()));
    all.push_back(map.variables()[i]);
    if (i < map.dim_count()) {
      ++counts.dims;
    } else if (i < map.dim_count() + map.range_count()) {
      ++counts.ranges;
    }
  }
  return rebuild_over(map, with_unique_names(std::move(all), counts), replacements);
}

}  // namespace tessera::detail
