// SPDX-License-Identifier: Apache-2.0
// The normal form of an indexing: no unused variables, and one variable per value.
#include <algorithm>
#include <utility>

#include "hlo/indexing/variables.h"
#include "map/parts.h"
#include "map/removal.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using detail::keep_dimensions;
using detail::keep_variables;
using detail::mark_used;
using detail::over_elements;
using detail::renumbered;
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
  return keep_variables(map, used);
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
  const std::size_t first_runtime = x.map.dim_count() + x.map.range_count();
  std::vector<Expr> numbering;
  for (std::size_t v = 0; v < x.map.variables().size(); ++v) {
    numbering.push_back(Expr::variable(static_cast<Index>(v)));
  }
  std::vector<bool> keep(numbering.size(), true);
  for (std::size_t j = 1; j < x.runtime.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (!(x.runtime[i] == x.runtime[j])) continue;
      numbering[first_runtime + j] = numbering[first_runtime + i];
      keep[first_runtime + j] = false;
      break;
    }
  }
  if (std::ranges::find(keep, false) == keep.end()) return false;
  std::vector<Interval> bounds;
  for (const Variable& v : x.map.variables()) bounds.push_back(v.bounds);
  const auto apply = [&](const IndexMap& map) {
    const Domain& domain = map.domain();
    Domain renamed(
        {domain.variables().begin(),
         domain.variables().begin() + static_cast<std::ptrdiff_t>(domain.dim_count())},
        {domain.variables().begin() + static_cast<std::ptrdiff_t>(domain.dim_count()),
         domain.variables().begin() + static_cast<std::ptrdiff_t>(first_runtime)},
        {domain.variables().begin() + static_cast<std::ptrdiff_t>(first_runtime), domain.variables().end()});
    for (const Constraint& c : domain.constraints())
      renamed.constrain(substitute(c.expr, numbering), c.range);
    if (domain.known_empty()) renamed.set_known_empty();
    return IndexMap::make_unchecked(std::move(renamed), renumbered(map.results(), numbering));
  };
  x.map = apply(x.map);
  Domain narrowed = x.map.domain();
  for (std::size_t j = first_runtime; j < numbering.size(); ++j) narrowed.constrain(numbering[j], bounds[j]);
  x.map = IndexMap::make_unchecked(std::move(narrowed), {x.map.results().begin(), x.map.results().end()});
  x.map = keep_variables(x.map, keep);
  for (ReplicaHop& hop : x.replica) {
    if (over_elements(hop)) hop.map = keep_variables(apply(hop.map), keep);
  }
  std::vector<RuntimeValue> runtime;
  for (std::size_t i = 0; i < x.runtime.size(); ++i) {
    if (!keep[first_runtime + i]) continue;
    RuntimeValue& value = x.runtime[i];
    if (value.map.domain().symbol_count() > 0) value.map = keep_variables(apply(value.map), keep);
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
      if (over_elements(hop)) hop.map = keep_variables(hop.map, keep);
    }
    std::vector<RuntimeValue> runtime;
    for (std::size_t i = 0; i < x.runtime.size(); ++i) {
      if (!keep[keep.size() - x.runtime.size() + i]) {
        again = true;  // next, remove what only this value used
        continue;
      }
      RuntimeValue& value = x.runtime[i];
      if (value.map.domain().symbol_count() > 0) value.map = keep_variables(value.map, keep);
      runtime.push_back(std::move(value));
    }
    x.runtime = std::move(runtime);
  }
}

Indexing normalize(Indexing x) {
  if (x.exactness == Exactness::unknown) return x;
  x.map = detail::simplify_parts(std::move(x.map));
  if (!x.map.known_empty()) detail::remove_unused_values(x);
  if (x.map.known_empty()) {
    x.map = keep_dimensions(x.map);
    x.runtime.clear();
    x.replica.clear();
    x.exactness = Exactness::exact;
    x.reason.clear();
    return x;
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
  if (merge_runtime(x)) return normalize(std::move(x));
  return x;
}

}  // namespace tessera
