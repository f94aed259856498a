// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/loop_time.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/small_vector.h"
#include "hlo/indexing/normalize.h"
#include "map/variable_set.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

std::vector<Expr> variables_from(std::size_t first, std::size_t count) {
  std::vector<Expr> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(Expr::variable(static_cast<Index>(first + i)));
  return out;
}

IndexMap with_dimension(const IndexMap& map, Interval bounds) {
  const auto all = map.variables();
  std::vector<Variable> own;
  own.reserve(all.size() + 1);
  own.push_back({.bounds = bounds});
  own.insert(own.end(), all.begin(), all.end());
  Domain domain = Domain::of(std::move(own), {.dims = map.dim_count() + 1, .ranges = map.range_count()});
  domain.reserve_constraints(map.constraints().size());
  SmallVector<Expr> numbering;
  for (std::size_t v = 0; v < all.size(); ++v) numbering.push_back(Expr::variable(static_cast<Index>(v) + 1));
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
  if (map.known_empty()) domain.set_known_empty();
  return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
}

namespace {

/// As `retimed`, for one map. Does not simplify.
IndexMap with_other_dimension(const IndexMap& map, Interval bounds, Expr value, std::vector<Expr> first) {
  const auto all = map.variables();
  std::vector<Variable> own(all.begin(), all.end());
  own[0] = {.bounds = bounds};
  Domain domain = Domain::of(std::move(own), {.dims = map.dim_count(), .ranges = map.range_count()});
  domain.reserve_constraints(map.constraints().size() + 1);
  const std::span<const Expr> replacement(&value, 1);  // the other variables stay
  domain.constrain(value, all[0].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, replacement), c.range);
  if (map.known_empty()) domain.set_known_empty();
  first.reserve(first.size() + map.results().size());
  for (const Expr& e : map.results()) first.push_back(substitute(e, replacement));
  return IndexMap::make_unchecked(std::move(domain), std::move(first));
}

/// Whether the normalized indexing is the same for every value of dimension 0.
bool is_timeless(const Indexing& x) {
  VariableSet used(x.map.results());
  for (const Constraint& c : x.map.constraints()) used.add(c.expr);
  return x.runtime.empty() && x.replica.empty() && !x.map.known_empty() && !used.contains(0);
}

}  // namespace

Indexing retimed(Indexing x, Interval bounds, Expr value, std::vector<Expr> first) {
  if (x.exactness == Exactness::unknown) return x;
  const Domain time({{.bounds = bounds}}, {}, {});
  if (!bounds.is_point() && is_timeless(x) && variables(value) == std::vector<Index>{0} &&
      x.map.variables()[0].bounds.contains(range(value, time))) {
    std::vector<Interval> intervals;
    for (const Variable& v : x.map.variables()) intervals.push_back(v.bounds);
    intervals[0] = bounds;
    const auto constraints = x.map.constraints();
    first.insert(first.end(), x.map.results().begin(), x.map.results().end());
    x.map = IndexMap::make_unchecked(x.map.domain().with(intervals, {constraints.begin(), constraints.end()}),
                                     std::move(first));
    return x;
  }
  for_each_map(x, [&](IndexMap& map, bool) {
    map = with_other_dimension(map, bounds, value, &map == &x.map ? std::move(first) : std::vector<Expr>());
  });
  normalize_in_place(x);
  return x;
}

void make_range(Indexing& x, std::size_t variable) {
  const auto convert = [&](IndexMap& map, bool all_variables) {
    const auto vars = map.variables();
    if (!all_variables && variable >= map.dim_count()) return;
    std::vector<Variable> kinds[3];
    for (std::size_t v = 0; v < vars.size(); ++v) {
      if (v != variable) kinds[static_cast<std::size_t>(map.domain().kind(v))].push_back(vars[v]);
    }
    kinds[1].push_back(vars[variable]);
    const std::size_t place = kinds[0].size() + kinds[1].size() - 1;
    std::vector<Expr> numbering;
    for (std::size_t v = 0; v < vars.size(); ++v) {
      std::size_t to = v - (v > variable ? 1 : 0);
      if (v == variable) {
        to = place;
      } else if (to >= place) {
        ++to;
      }
      numbering.push_back(Expr::variable(static_cast<Index>(to)));
    }
    Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
    for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
    if (map.known_empty()) domain.set_known_empty();
    map = IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
  };
  // Runtime and replica maps that have only dimensions get the range variables, too.
  if (variable < x.map.dim_count()) {
    const Domain& domain = x.map.domain();
    for_each_map(x, [&](IndexMap& map, bool all_variables) {
      if (!all_variables) map = spread(map, domain, {});
    });
  }
  for_each_map(x, convert);
}

bool reads_nothing(const IndexingSet& maps) {
  return std::ranges::all_of(
      maps, [](const Indexing& x) { return x.exactness != Exactness::unknown && x.map.known_empty(); });
}

}  // namespace tessera::detail
