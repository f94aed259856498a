// SPDX-License-Identifier: Apache-2.0
#include "map/values/components.h"

#include <algorithm>
#include <numeric>

#include "map/rebuild.h"

namespace tessera::detail {

std::vector<Component> components(const IndexMap& map, bool by_results) {
  const std::size_t count = map.variables().size();
  std::vector<std::size_t> parent(count);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  // Connects the variables of an expression and returns one of them, or `count` for a constant. A part is
  // represented by its first variable, so that the order of the constraints does not matter.
  const auto join = [&](Expr e) {
    const auto used = variables(e);
    for (std::size_t i = 1; i < used.size(); ++i) {
      const auto [first, second] =
          std::minmax({root(static_cast<std::size_t>(used[0])), root(static_cast<std::size_t>(used[i]))});
      parent[second] = first;
    }
    return used.empty() ? count : static_cast<std::size_t>(used[0]);
  };
  for (const Constraint& c : map.constraints()) join(c.expr);
  if (by_results) {
    for (const Expr e : map.results()) join(e);
  }
  std::vector<Component> parts;
  const auto add_part = [&](std::size_t of) {
    std::vector<Expr> moved(count);
    std::vector<Variable> dims;
    for (std::size_t v = 0; v < count; ++v) {
      if (of == count || root(v) != of) continue;
      moved[v] = Expr::variable(static_cast<Index>(dims.size()));
      dims.push_back({map.variables()[v].bounds});
    }
    Domain domain(std::move(dims), {}, {});
    for (const Constraint& c : map.constraints()) {
      const std::size_t first = join(c.expr);
      if (first != count && root(first) == of) domain.constrain(substitute(c.expr, moved), c.range);
    }
    Component part;
    std::vector<Expr> results;
    for (std::size_t r = 0; by_results && r < map.results().size(); ++r) {
      const std::size_t first = join(map.results()[r]);
      if ((first == count ? count : root(first)) != of) continue;
      part.results.push_back(r);
      results.push_back(substitute(map.results()[r], moved));
    }
    part.map = IndexMap::make_unchecked(std::move(domain), std::move(results));
    if (of != count || !part.results.empty()) parts.push_back(std::move(part));
  };
  for (std::size_t v = 0; v < count; ++v) {
    if (root(v) == v) add_part(v);
  }
  add_part(count);
  return parts;
}

}  // namespace tessera::detail
