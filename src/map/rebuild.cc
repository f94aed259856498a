// SPDX-License-Identifier: Apache-2.0
#include "map/rebuild.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace tessera::detail {

std::vector<Variable>& VariableLists::of(VariableKind kind) {
  if (kind == VariableKind::dimension) return dims;
  return kind == VariableKind::range ? ranges : runtimes;
}

void VariableLists::make_names_unique() {
  const auto named = [](const Variable& variable) { return !variable.name.empty(); };
  if (std::ranges::none_of(dims, named) && std::ranges::none_of(ranges, named) &&
      std::ranges::none_of(runtimes, named)) {
    return;
  }
  // A variable without a name prints with its default name, which may be another variable's name, so this
  // repeats until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    const Domain domain(dims, ranges, runtimes);
    std::unordered_set<std::string> seen;
    for (std::size_t i = 0; i < domain.variable_count(); ++i) {
      if (domain.variables()[i].name.empty()) seen.insert(domain.name(i));
    }
    for (auto* list : {&dims, &ranges, &runtimes}) {
      for (Variable& variable : *list) {
        if (variable.name.empty() || seen.insert(variable.name.str()).second) continue;
        variable.name.clear();
        changed = true;
      }
    }
  }
}

IndexMap rebuild(const IndexMap& map, VariableLists lists, std::span<const Expr> replacements) {
  lists.make_names_unique();
  Domain domain(std::move(lists.dims), std::move(lists.ranges), std::move(lists.runtimes));
  if (map.known_empty()) return IndexMap::empty(domain, map.results().size());
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, replacements), c.range);
  std::vector<Expr> results;
  results.reserve(map.results().size());
  for (const Expr e : map.results()) results.push_back(substitute(e, replacements));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

IndexMap keep_variables(const IndexMap& map, const std::vector<bool>& kept, Expr replacement_of_others) {
  VariableLists lists;
  std::vector<Expr> replacements(kept.size(), replacement_of_others);
  Index next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    lists.of(map.domain().kind(i)).push_back(map.variables()[i]);
    replacements[i] = Expr::variable(next++);
  }
  return rebuild(map, std::move(lists), replacements);
}

}  // namespace tessera::detail
