// SPDX-License-Identifier: Apache-2.0
// The normal form of an indexing: no unused variables, and one variable per value.
#include "hlo/indexing/normalize.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/small_vector.h"
#include "hlo/indexing/variables.h"
#include "map/parts.h"
#include "map/variables.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using detail::keep_dimensions;
using detail::mark_used;
using detail::only_variables;
using detail::over_elements;
using detail::renumbered;
using detail::SmallVector;
using detail::uses_symbols;
using detail::VariableSet;

namespace {

/// The map without its runtime variables; unchanged if a result uses one.
IndexMap without_idle_runtimes(const IndexMap& map) {
  const std::size_t first = map.dim_count() + map.range_count();
  std::vector<bool> used(map.variables().size());
  mark_used(map.results(), used);
  const auto runtimes = used.begin() + static_cast<std::ptrdiff_t>(first);
  if (std::find(runtimes, used.end(), true) != used.end()) return map;
  std::fill(used.begin(), runtimes, true);
  return only_variables(map, used);
}

/// Whether the variable's interval is narrower than its possible values. Then some values read nothing, so
/// the variable matters even if no result uses it.
bool decides(const RuntimeValue& value, Interval bounds) { return !bounds.contains(value.clamp); }

/// Whether the results and the maps of replica hops use every range and runtime variable.
bool uses_all_symbols(const Indexing& x) {
  if (x.map.domain().symbol_count() == 0) return true;
  VariableSet used(x.map.results());
  for (const ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) used.add(hop.map.results());
  }
  return used.contains_all(x.map.dim_count(), x.map.variables().size());
}

/// Merges runtime variables that read the same element of the same value, on the same replica, with the same
/// clamp. Returns whether there were any.
bool merge_runtime(Indexing& x) {
  if (x.runtime.size() < 2) return false;
  const std::span<const RuntimeValue> all(x.runtime);
  const auto repeats = [&](const RuntimeValue& value) {
    return std::ranges::find(all.data(), &value, value) != &value;
  };
  if (std::ranges::none_of(all, repeats)) return false;
  const std::size_t first_runtime = x.map.dim_count() + x.map.range_count();
  SmallVector<Expr> numbering;  // the variables in the merged map
  std::vector<bool> keep(x.map.variables().size(), true);
  Index next = 0;
  for (std::size_t v = 0; v < keep.size(); ++v) {
    if (v >= first_runtime && repeats(all[v - first_runtime])) {
      const auto first = std::ranges::find(all, all[v - first_runtime]) - all.begin();
      numbering.push_back(numbering[first_runtime + static_cast<std::size_t>(first)]);
      keep[v] = false;
    } else {
      numbering.push_back(Expr::variable(next++));
    }
  }
  const auto merged = [&](const IndexMap& map) {
    std::vector<Variable> own;
    own.reserve(map.variables().size());
    for (std::size_t v = 0; v < map.variables().size(); ++v) {
      if (keep[v]) own.push_back(map.variables()[v]);
    }
    Domain domain = Domain::of(std::move(own), {.dims = map.dim_count(), .ranges = map.range_count()});
    domain.reserve_constraints(map.constraints().size());
    for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
    if (map.known_empty()) domain.set_known_empty();
    return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
  };
  IndexMap map = merged(x.map);
  std::vector<Expr> results = std::move(map).take_results();
  Domain narrowed = std::move(map).take_domain();
  for (std::size_t j = first_runtime; j < numbering.size(); ++j)
    narrowed.constrain(numbering[j], x.map.variables()[j].bounds);
  x.map = IndexMap::make_unchecked(std::move(narrowed), std::move(results));
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) hop.map = merged(hop.map);
  }
  std::vector<RuntimeValue> runtime;
  for (std::size_t i = 0; i < x.runtime.size(); ++i) {
    if (!keep[first_runtime + i]) continue;
    RuntimeValue& value = x.runtime[i];
    if (value.map.domain().symbol_count() > 0) value.map = merged(value.map);
    runtime.push_back(std::move(value));
  }
  x.runtime = std::move(runtime);
  return true;
}

}  // namespace

void detail::remove_unused_values(Indexing& x) {
  bool again = !uses_all_symbols(x);
  while (again) {
    again = false;
    VariableSet needed(x.map.results());
    for (std::size_t d = 0; d < x.map.dim_count(); ++d) needed.insert(d);
    for (const ReplicaHop& hop : x.replica) {
      if (over_elements(hop)) needed.add(hop.map.results());
    }
    // A runtime map without symbols has only dimensions; otherwise its variables are those of the map.
    for (const RuntimeValue& value : x.runtime) {
      if (value.map.domain().symbol_count() > 0) needed.add(value.map.results());
    }
    // A runtime variable has a single value, so a constraint on it decides whether anything is read. (A
    // constraint on otherwise unused range variables holds for some of their values.)
    const std::size_t first_runtime = x.map.variables().size() - x.runtime.size();
    VariableSet constrained;
    if (!x.runtime.empty()) {
      for (const Constraint& c : x.map.constraints()) constrained.add(c.expr);
    }
    for (std::size_t i = 0; i < x.runtime.size(); ++i) {
      const std::size_t v = first_runtime + i;
      if (constrained.contains(v) || decides(x.runtime[i], x.map.variables()[v].bounds)) needed.insert(v);
    }
    auto removal = remove_unneeded(x.map, std::move(needed));
    if (!removal) return;
    x.map = std::move(removal->map);
    if (x.map.known_empty()) return;
    std::vector<bool> keep = std::move(removal->removed);
    keep.flip();
    for (ReplicaHop& hop : x.replica) {
      if (over_elements(hop)) hop.map = only_variables(hop.map, keep);
    }
    std::vector<RuntimeValue> runtime;
    for (std::size_t i = 0; i < x.runtime.size(); ++i) {
      if (!keep[keep.size() - x.runtime.size() + i]) {
        again = true;  // next, remove what only this value used
        continue;
      }
      RuntimeValue& value = x.runtime[i];
      if (value.map.domain().symbol_count() > 0) value.map = only_variables(value.map, keep);
      runtime.push_back(std::move(value));
    }
    x.runtime = std::move(runtime);
  }
}

void detail::normalize_in_place(Indexing& x) {
  if (x.exactness == Exactness::unknown) return;
  x.map = detail::simplify_parts(std::move(x.map));
  if (!x.map.known_empty()) detail::remove_unused_values(x);
  if (x.map.known_empty()) {
    x.map = keep_dimensions(x.map);
    x.runtime.clear();
    x.replica.clear();
    x.exactness = Exactness::exact;
    x.reason.clear();
    return;
  }
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) hop.map = detail::simplify_parts(without_idle_runtimes(hop.map));
  }
  for (RuntimeValue& value : x.runtime) {
    if (value.map.domain().symbol_count() > 0 && !uses_symbols(value.map))
      value.map = keep_dimensions(value.map);
    value.map = detail::simplify_parts(std::move(value.map));
    if (value.map.domain().symbol_count() > 0 && !uses_symbols(value.map))
      value.map = keep_dimensions(value.map);
  }
  if (merge_runtime(x)) normalize_in_place(x);
}

Indexing normalize(Indexing x) {
  detail::normalize_in_place(x);
  return x;
}

}  // namespace tessera
