// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "base/small_vector.h"
#include "map/rebuild.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

// The domain of the composition without constraints: dimensions of `first`, then range variables of `second`
// and of `first`, then runtime variables likewise.
Domain variables_of_both(const IndexMap& first, const IndexMap& second) {
  std::vector<Variable> all;
  all.reserve(first.variables().size() + second.domain().symbol_count());
  const auto add = [&](const IndexMap& map, std::size_t from, std::size_t count) {
    const auto some = map.variables().subspan(from, count);
    all.insert(all.end(), some.begin(), some.end());
  };
  add(first, 0, first.dim_count());
  for (const IndexMap* map : {&second, &first}) add(*map, map->dim_count(), map->range_count());
  for (const IndexMap* map : {&second, &first})
    add(*map, map->dim_count() + map->range_count(), map->runtime_count());
  return detail::with_unique_names(
      std::move(all), {.dims = first.dim_count(), .ranges = second.range_count() + first.range_count()});
}

}  // namespace

Result<IndexMap> compose(const IndexMap& first, const IndexMap& second) {
  if (first.results().size() != second.dim_count()) {
    return fail(Code::rank_mismatch, fmt::format("the first map has {}, but the second map has {}",
                                                 detail::plural(first.results().size(), "result"),
                                                 detail::plural(second.dim_count(), "dimension")));
  }
  const std::size_t dims = first.dim_count();
  const std::size_t first_ranges = dims + second.range_count();
  const std::size_t second_runtimes = first_ranges + first.range_count();
  const std::size_t first_runtimes = second_runtimes + second.runtime_count();

  // The replacements for the variables of each map.
  const auto variable = [](std::size_t number) { return Expr::variable(static_cast<Index>(number)); };
  // A variable of `first` gets another number only if both have symbols.
  const bool renumbered = first.domain().symbol_count() > 0 && second.domain().symbol_count() > 0;
  detail::SmallVector<Expr> of_first;
  if (renumbered) {
    for (std::size_t i = 0; i < dims; ++i) of_first.push_back(variable(i));
    for (std::size_t i = 0; i < first.range_count(); ++i) of_first.push_back(variable(first_ranges + i));
    for (std::size_t i = 0; i < first.runtime_count(); ++i) of_first.push_back(variable(first_runtimes + i));
  }
  detail::SmallVector<Expr> of_second;
  for (const Expr e : first.results()) of_second.push_back(renumbered ? substitute(e, of_first) : e);
  for (std::size_t i = 0; i < second.range_count(); ++i) of_second.push_back(variable(dims + i));
  for (std::size_t i = 0; i < second.runtime_count(); ++i) of_second.push_back(variable(second_runtimes + i));

  Domain domain = variables_of_both(first, second);
  if (first.known_empty() || second.known_empty()) return IndexMap::empty(domain, second.results().size());
  // Bounds of a dimension become a constraint only if its replacement is an operation.
  const auto restricts = [&](std::size_t i) {
    return of_second[i].is_binary() && second.variables()[i].bounds != Interval{};
  };
  std::size_t restricted = 0;
  for (std::size_t i = 0; i < second.dim_count(); ++i) restricted += restricts(i) ? 1 : 0;
  domain.reserve_constraints(first.constraints().size() + second.constraints().size() + restricted);
  for (const Constraint& c : second.constraints()) {
    const Expr expr = substitute(c.expr, of_second);
    domain.constrain(expr, c.range);
    // A constraint that has no value holds nowhere.
    if (c.expr.node().divides_by_variable && expr.node().divides_by_zero) domain.set_known_empty();
  }
  for (const Constraint& c : first.constraints())
    domain.constrain(renumbered ? substitute(c.expr, of_first) : c.expr, c.range);
  for (std::size_t i = 0; i < second.dim_count(); ++i) {
    const Interval bounds = second.variables()[i].bounds;
    if (bounds != Interval{}) domain.constrain(of_second[i], bounds);
  }
  std::vector<Expr> results;
  results.reserve(second.results().size());
  for (std::size_t i = 0; i < second.results().size(); ++i) {
    const Expr given = second.results()[i];
    results.push_back(substitute(given, of_second));
    // The text of such a map could not be read back.
    if (given.node().divides_by_variable && results.back().node().divides_by_zero && !domain.known_empty()) {
      return fail(Code::undefined_value,
                  fmt::format("result {} of the second map divides by 0 at every point of the first map", i),
                  {}, "restrict the first map to points that the second map has a value for");
    }
  }
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

}  // namespace tessera
