// SPDX-License-Identifier: Apache-2.0
#include "map/variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/plural.h"
#include "map/rebuild.h"
#include "tessera/map/judge.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using detail::VariableLists;
using detail::VariableSet;

// Adds all variables of every constraint that contains a member, and repeats until nothing changes.
void spread(std::span<const Constraint> constraints, VariableSet& alive) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Constraint& c : constraints) {
      const VariableSet used(c.expr);
      if (!alive.intersects(used) || alive.contains(used)) continue;
      alive.add(used);
      changed = true;
    }
  }
}

std::vector<bool> flags(const VariableSet& set, std::size_t count) {
  std::vector<bool> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = set.contains(i);
  return out;
}

// Whether the constraints over removed variables hold at some point.
Emptiness emptiness_of_rest(const IndexMap& map, const VariableSet& alive) {
  VariableSet rest;
  bool any = false;
  Domain domain(std::vector<Variable>(map.variables().begin(), map.variables().end()), {}, {});
  for (const Constraint& c : map.constraints()) {
    const VariableSet used(c.expr);
    if (alive.intersects(used)) continue;
    rest.add(used);
    domain.constrain(c.expr, c.range);
    any = true;
  }
  if (!any) return {.verdict = Verdict::no};
  const std::vector<bool> kept = flags(rest, map.variables().size());
  return is_empty(detail::keep_variables(IndexMap::make_unchecked(std::move(domain), {}), kept));
}

}  // namespace

std::optional<Removal> detail::remove_unneeded(const IndexMap& map, VariableSet needed) {
  const std::size_t count = map.variables().size();
  if (needed.contains_all(0, count)) return std::nullopt;
  const auto constraints = map.constraints();
  spread(constraints, needed);
  if (needed.contains_all(0, count)) return std::nullopt;
  const auto removal = [&](const IndexMap& kept) {
    const std::vector<bool> stays = flags(needed, count);
    Removal out{keep_variables(kept, stays), stays};
    out.removed.flip();
    return out;
  };
  if (constraints.empty()) return removal(map);

  const Emptiness rest = emptiness_of_rest(map, needed);
  if (rest.verdict == Verdict::undecided) {
    for (const Constraint& c : constraints) needed.add(c.expr);
    if (needed.contains_all(0, count)) return std::nullopt;
    return removal(map);
  }
  Domain domain(map.domain());
  domain.clear_constraints();
  for (const Constraint& c : constraints) {
    if (needed.intersects(VariableSet(c.expr))) domain.constrain(c.expr, c.range);
  }
  if (rest.verdict == Verdict::yes) domain.set_known_empty();
  return removal(IndexMap::make_unchecked(std::move(domain), {map.results().begin(), map.results().end()}));
}

namespace {

Removal remove_unused(const IndexMap& map, std::size_t first_candidate) {
  VariableSet needed(map.results());
  for (std::size_t i = 0; i < std::min(first_candidate, map.variables().size()); ++i) needed.insert(i);
  auto removal = detail::remove_unneeded(map, std::move(needed));
  return removal ? *std::move(removal) : Removal{.map = map};
}

}  // namespace

Removal remove_unused_symbols(const IndexMap& map) { return remove_unused(map, map.dim_count()); }
Removal remove_unused_vars(const IndexMap& map) { return remove_unused(map, 0); }

Result<IndexMap> compress_vars(const IndexMap& map, const std::vector<bool>& dims,
                               const std::vector<bool>& symbols) {
  if (dims.size() != map.dim_count() || symbols.size() != map.domain().symbol_count()) {
    return fail(Code::value_count, fmt::format("{} and {} are given for {} and {}",
                                               detail::plural(dims.size(), "dimension flag"),
                                               detail::plural(symbols.size(), "symbol flag"),
                                               detail::plural(map.dim_count(), "dimension"),
                                               detail::plural(map.domain().symbol_count(), "symbol")));
  }
  std::vector<bool> kept;
  for (const bool flag : dims) kept.push_back(!flag);
  for (const bool flag : symbols) kept.push_back(!flag);
  for (std::size_t r = 0; r < map.results().size(); ++r) {
    for (const Index v : variables(map.results()[r])) {
      const auto number = static_cast<std::size_t>(v);
      if (kept[number]) continue;
      return fail(
          Code::variable_mismatch,
          fmt::format("variable '{}' is to be removed, but result {} uses it", map.domain().name(number), r));
    }
  }
  return detail::keep_variables(map, kept);
}

IndexMap symbols_to_dims(const IndexMap& map) {
  VariableLists lists;
  std::vector<Expr> same;
  for (std::size_t i = 0; i < map.variables().size(); ++i) {
    lists.dims.push_back(map.variables()[i]);
    if (i >= map.dim_count()) lists.dims.back().name.clear();
    same.push_back(Expr::variable(static_cast<Index>(i)));
  }
  return detail::rebuild_over(map, std::move(lists).domain(), same);
}

Result<IndexMap> range_vars_to_dims(const IndexMap& map, std::span<const std::size_t> indices) {
  std::vector<bool> chosen(map.range_count());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= map.range_count() || (i > 0 && indices[i] <= indices[i - 1])) {
      return fail(
          Code::index_out_of_range,
          fmt::format("range variable {} does not exist or is not in increasing order; the map has {}",
                      indices[i], detail::plural(map.range_count(), "range variable")));
    }
    chosen[indices[i]] = true;
  }
  const std::size_t first_range = map.dim_count();
  std::vector<Expr> replacements(map.variables().size());
  VariableLists lists;
  Index next = 0;
  const auto place = [&](std::size_t i, std::vector<Variable>& list) {
    list.push_back(map.variables()[i]);
    replacements[i] = Expr::variable(next++);
  };
  for (std::size_t i = 0; i < first_range; ++i) place(i, lists.dims);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) place(first_range + i, lists.dims);
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!chosen[i]) place(first_range + i, lists.ranges);
  }
  for (std::size_t i = first_range + chosen.size(); i < map.variables().size(); ++i) place(i, lists.runtimes);
  return detail::rebuild_over(map, std::move(lists).domain(), replacements);
}

Result<IndexMap> sub_map(const IndexMap& map, ResultRange results) {
  const auto [start, count] = results;
  if (start > map.results().size() || count > map.results().size() - start) {
    return fail(Code::index_out_of_range,
                fmt::format("the map has {}, but not {} from number {} on",
                            detail::plural(map.results().size(), "result"), count, start));
  }
  const auto some = map.results().subspan(start, count);
  return IndexMap::make_unchecked(map.domain(), {some.begin(), some.end()});
}

Result<IndexMap> restrict_to(const IndexMap& map, Expr expr, Interval range) {
  Domain domain = map.domain();
  const auto used = variables(expr);
  if (!used.empty() && used.back() >= static_cast<Index>(domain.variable_count())) {
    return fail(Code::variable_mismatch,
                fmt::format("the expression uses variable {}, but the map has {}", used.back(),
                            detail::plural(domain.variable_count(), "variable")));
  }
  domain.constrain(expr, range);
  return IndexMap::make_unchecked(std::move(domain), {map.results().begin(), map.results().end()});
}

}  // namespace tessera
