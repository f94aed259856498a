// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/variables.h"

#include <algorithm>
#include <utility>

#include "map/variable_set.h"

namespace tessera::detail {
namespace {

Expr renumbered(Expr expr, std::span<const Expr> numbering) {
  return expr.is_constant() ? expr : substitute(expr, numbering);
}

}  // namespace

std::vector<Expr> renumbered(std::span<const Expr> exprs, std::span<const Expr> numbering) {
  std::vector<Expr> out;
  out.reserve(exprs.size());
  for (const Expr& e : exprs) out.push_back(renumbered(e, numbering));
  return out;
}

void mark_used(std::span<const Expr> exprs, std::vector<bool>& used) {
  for (const Expr& e : exprs) {
    if (e.is_variable()) {
      used[static_cast<std::size_t>(e.value())] = true;
    } else if (e.is_binary()) {
      for (const Index v : variables(e)) used[static_cast<std::size_t>(v)] = true;
    }
  }
}

bool uses_symbols(const IndexMap& map) {
  const VariableSet used(map.results());
  for (std::size_t v = map.dim_count(); v < map.variables().size(); ++v) {
    if (used.contains(v)) return true;
  }
  return false;
}

IndexMap keep_variables(const IndexMap& map, const std::vector<bool>& keep) {
  const auto all = map.variables();
  std::vector<Expr> numbering(all.size());
  std::vector<Variable> kinds[3];
  VariableSet dropped;
  Index next = 0;
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (!keep[v]) {
      dropped.insert(v);
      continue;
    }
    numbering[v] = Expr::variable(next++);
    kinds[static_cast<std::size_t>(map.domain().kind(v))].push_back(all[v]);
  }
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  for (const Constraint& c : map.constraints()) {
    if (!VariableSet(c.expr).intersects(dropped)) {
      domain.constrain(renumbered(c.expr, numbering), c.range);
    }
  }
  if (map.known_empty()) domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
}

IndexMap keep_dimensions(const IndexMap& map) {
  std::vector<bool> keep(map.variables().size());
  std::fill_n(keep.begin(), map.dim_count(), true);
  return keep_variables(map, keep);
}

IndexMap spread(const IndexMap& map, const Domain& domain, SymbolPlaces first) {
  const std::size_t dims = map.dim_count();
  const std::size_t ranges = domain.range_count();
  const auto from = domain.variables();
  std::vector<Variable> own_dims(map.variables().begin(),
                                 map.variables().begin() + static_cast<std::ptrdiff_t>(dims));
  std::vector<Variable> own_ranges(from.begin() + static_cast<std::ptrdiff_t>(dims),
                                   from.begin() + static_cast<std::ptrdiff_t>(dims + ranges));
  std::vector<Variable> own_runtimes(from.begin() + static_cast<std::ptrdiff_t>(dims + ranges), from.end());
  std::vector<Expr> numbering;
  numbering.reserve(map.variables().size());
  for (std::size_t v = 0; v < map.variables().size(); ++v) {
    std::size_t place = v;
    if (v >= dims + map.range_count()) {
      place = dims + ranges + first.runtime + (v - dims - map.range_count());
    } else if (v >= dims) {
      place = v + first.range;
    }
    numbering.push_back(Expr::variable(static_cast<Index>(place)));
  }
  Domain spread_domain(std::move(own_dims), std::move(own_ranges), std::move(own_runtimes));
  for (const Constraint& c : map.constraints()) {
    spread_domain.constrain(renumbered(c.expr, numbering), c.range);
  }
  if (map.known_empty()) spread_domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(spread_domain), renumbered(map.results(), numbering));
}

namespace {

// The map with variable `replaced` replaced by `value` and later variables renumbered.
IndexMap with_replaced(const IndexMap& map, std::size_t replaced, Expr value) {
  const auto& variables = map.variables();
  std::vector<Variable> kinds[3];
  std::vector<Expr> replacements;
  replacements.reserve(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto number = static_cast<Index>(i);
    replacements.push_back(i == replaced ? value : Expr::variable(i < replaced ? number : number - 1));
    if (i != replaced) kinds[static_cast<std::size_t>(map.domain().kind(i))].push_back(variables[i]);
  }
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  if (map.known_empty()) domain.set_known_empty();
  domain.constrain(value, variables[replaced].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, replacements), c.range);
  std::vector<Expr> results;
  results.reserve(map.results().size());
  for (const Expr& result : map.results()) results.push_back(substitute(result, replacements));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

// `value` with the variables after `replaced` renumbered.
Expr without_variable(Expr value, std::size_t replaced, std::size_t count) {
  std::vector<Expr> replacements;
  for (std::size_t i = 0; i < count; ++i) {
    replacements.push_back(Expr::variable(static_cast<Index>(i <= replaced ? i : i - 1)));
  }
  return substitute(value, replacements);
}

}  // namespace

void replace_variable(Indexing& indexing, std::size_t replaced, Expr value) {
  const std::size_t count = indexing.map.variables().size();
  value = without_variable(value, replaced, count);
  const auto replace = [&](IndexMap& map) {
    if (map.variables().size() == count) map = with_replaced(map, replaced, value);
  };
  replace(indexing.map);
  for (RuntimeValue& other : indexing.runtime) replace(other.map);
  for (ReplicaHop& hop : indexing.replica) {
    if (hop.from == ReplicaHop::From::element) replace(hop.map);
  }
}

void replace_runtime(Indexing& indexing, std::size_t which, Expr value) {
  indexing.runtime.erase(indexing.runtime.begin() + static_cast<std::ptrdiff_t>(which));
  replace_variable(indexing, indexing.map.dim_count() + indexing.map.range_count() + which, value);
}

}  // namespace tessera::detail
