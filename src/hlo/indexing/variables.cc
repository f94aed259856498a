// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/variables.h"

#include <algorithm>
#include <utility>

#include "base/small_vector.h"
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

namespace {

/// A domain with the variables for which `keeps(number)` holds, without constraints.
template <class Keeps>
Domain some_variables(const IndexMap& map, const Keeps& keeps) {
  const std::span<const Variable> all = map.variables();
  std::vector<Variable> own;
  own.reserve(all.size());
  const auto add = [&](std::size_t first, std::size_t end) {
    const std::size_t before = own.size();
    for (std::size_t v = first; v < end; ++v) {
      if (keeps(v)) own.push_back(all[v]);
    }
    return own.size() - before;
  };
  const std::size_t symbols = map.dim_count() + map.range_count();
  const std::size_t dims = add(0, map.dim_count());
  const std::size_t ranges = add(map.dim_count(), symbols);
  add(symbols, all.size());
  return Domain::of(std::move(own), {.dims = dims, .ranges = ranges});
}

/// The map with the variables for which `keeps(number)` holds, as for `keep_variables`.
template <class Keeps>
IndexMap with_some_variables(const IndexMap& map, const Keeps& keeps) {
  SmallVector<Expr> numbering;
  VariableSet dropped;
  Index next = 0;
  for (std::size_t v = 0; v < map.variables().size(); ++v) {
    const bool stays = keeps(v);
    numbering.push_back(stays ? Expr::variable(next++) : Expr::constant(0));
    if (!stays) dropped.insert(v);
  }
  Domain domain = some_variables(map, keeps);
  domain.reserve_constraints(map.constraints().size());
  for (const Constraint& c : map.constraints()) {
    if (!VariableSet(c.expr).intersects(dropped)) {
      domain.constrain(renumbered(c.expr, numbering), c.range);
    }
  }
  if (map.known_empty()) domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
}

}  // namespace

IndexMap only_variables(const IndexMap& map, const std::vector<bool>& keep) {
  return with_some_variables(map, [&](std::size_t v) { return keep[v]; });
}

IndexMap keep_dimensions(const IndexMap& map) {
  return with_some_variables(map, [&](std::size_t v) { return v < map.dim_count(); });
}

IndexMap spread(const IndexMap& map, const Domain& domain, SymbolPlaces first) {
  const std::size_t dims = map.dim_count();
  const std::size_t ranges = domain.range_count();
  const auto symbols = domain.variables().subspan(dims);
  std::vector<Variable> own;
  own.reserve(domain.variable_count());
  own.assign(map.variables().begin(), map.variables().begin() + static_cast<std::ptrdiff_t>(dims));
  own.insert(own.end(), symbols.begin(), symbols.end());
  SmallVector<Expr> numbering;
  for (std::size_t v = 0; v < map.variables().size(); ++v) {
    std::size_t place = v;
    if (v >= dims + map.range_count()) {
      place = dims + ranges + first.runtime + (v - dims - map.range_count());
    } else if (v >= dims) {
      place = v + first.range;
    }
    numbering.push_back(Expr::variable(static_cast<Index>(place)));
  }
  Domain spread_domain = Domain::of(std::move(own), {.dims = dims, .ranges = ranges});
  spread_domain.reserve_constraints(map.constraints().size());
  for (const Constraint& c : map.constraints()) {
    spread_domain.constrain(renumbered(c.expr, numbering), c.range);
  }
  if (map.known_empty()) spread_domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(spread_domain), renumbered(map.results(), numbering));
}

void add_runtime(Indexing& x, RuntimeValue value, Interval bounds) {
  const auto all = x.map.variables();
  const auto dims = all.begin() + static_cast<std::ptrdiff_t>(x.map.dim_count());
  const auto ranges = dims + static_cast<std::ptrdiff_t>(x.map.range_count());
  std::vector<Variable> runtimes(ranges, all.end());
  runtimes.push_back({.bounds = bounds});
  value.map = IndexMap::make_unchecked(Domain({all.begin(), dims}, {}, {}), {});
  const Domain wider({all.begin(), dims}, {dims, ranges}, std::move(runtimes));
  for (RuntimeValue& other : x.runtime) {
    if (other.map.domain().symbol_count() > 0) other.map = spread(other.map, wider, {});
  }
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop) && hop.map.domain().symbol_count() > 0) hop.map = spread(hop.map, wider, {});
  }
  x.map = spread(x.map, wider, {});
  x.runtime.push_back(std::move(value));
}

namespace {

// The map with variable `replaced` replaced by `value` and later variables renumbered.
IndexMap with_replaced(const IndexMap& map, std::size_t replaced, Expr value) {
  const auto variables = map.variables();
  SmallVector<Expr> replacements;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto number = static_cast<Index>(i);
    replacements.push_back(i == replaced ? value : Expr::variable(i < replaced ? number : number - 1));
  }
  Domain domain = some_variables(map, [&](std::size_t v) { return v != replaced; });
  if (map.known_empty()) domain.set_known_empty();
  domain.reserve_constraints(map.constraints().size() + (value.is_binary() ? 1 : 0));
  domain.constrain(value, variables[replaced].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, replacements), c.range);
  std::vector<Expr> results;
  results.reserve(map.results().size());
  for (const Expr& result : map.results()) results.push_back(substitute(result, replacements));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

// `value` with the variables after `replaced` renumbered.
Expr without_variable(Expr value, std::size_t replaced, std::size_t count) {
  if (value.is_constant()) return value;
  SmallVector<Expr> replacements;
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
