// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/environment.h"

#include <algorithm>

#include "expr/form/convert.h"
#include "expr/limits.h"
#include "expr/print.h"

namespace tessera::detail {

std::uint64_t work_for(std::span<const Constraint> constraints, std::span<const Expr> results) {
  std::uint64_t nodes = 0;
  for (const Constraint& c : constraints) nodes += c.expr.node_count();
  for (const Expr e : results) nodes += e.node_count();
  return kLimits.fuel_for(nodes);
}

bool too_deep(std::span<const Constraint> constraints, std::span<const Expr> results) {
  return std::ranges::any_of(constraints,
                             [](const Constraint& c) { return c.expr.depth() > kMaxExprDepth; }) ||
         std::ranges::any_of(results, [](Expr e) { return e.depth() > kMaxExprDepth; });
}

void start(Workspace& ws, const Domain& domain, std::uint64_t work) {
  ws.start(domain.variable_count(), work);
  ws.variable_bits = 0;
  for (std::size_t i = 0; i < domain.variable_count(); ++i) {
    const Interval bounds = domain.variables()[i].bounds;
    ws.variables[i].bounds = bounds;
    ws.variable_bits = std::max(ws.variable_bits, bits_of(bounds));
  }
}

namespace {

Domain simplified(const Domain& domain) {
  return tessera::simplify(IndexMap::make_unchecked(domain, {})).domain();
}

// Whether every constraint and every result stays in 64 bits and, unless `zero_divisors` are allowed, divides
// by 0 nowhere.
bool all_computed(const IndexMap& map, InfiniteBound infinite, bool zero_divisors) {
  if (too_deep(map.constraints(), map.results())) return false;
  const Domain domain = simplified(map.domain());  // with narrower variables
  if (domain.known_empty()) return true;
  const BorrowedWorkspace ws;
  start(*ws, domain, work_for(map.constraints(), map.results()));
  const auto computed = [&](Expr e) {
    if (!text_stays_in_64_bits(*ws, e, infinite)) return false;
    if (zero_divisors) return true;
    if (e.node().divides_by_variable) convert(*ws, e);
    return !ws->partial && !e.node().divides_by_zero;
  };
  return std::ranges::all_of(map.constraints(), computed, &Constraint::expr) &&
         std::ranges::all_of(map.results(), computed) && !ws->stopped();
}

}  // namespace

bool each_stays_in_64_bits(const IndexMap& map, InfiniteBound infinite) {
  return all_computed(map, infinite, true);
}

bool has_values(const IndexMap& map, InfiniteBound infinite) { return all_computed(map, infinite, false); }

InfiniteBound infinite_bounds_after(const IndexMap& map) {
  const auto finite = [](const Variable& v) { return v.bounds.is_finite(); };
  return std::ranges::all_of(map.variables(), finite) ? InfiniteBound::all_values
                                                      : InfiniteBound::small_enough;
}

bool each_reads_as_itself(const IndexMap& map) {
  const auto reads = [](Expr e) { return reads_as_itself(e); };
  return std::ranges::all_of(map.constraints(), reads, &Constraint::expr) &&
         std::ranges::all_of(map.results(), reads);
}

IndexMap simplify_with_same_values(const IndexMap& map) {
  if (has_values(map)) return tessera::simplify(map);
  return IndexMap::make_unchecked(simplified(map.domain()), {map.results().begin(), map.results().end()});
}

Domain spelled_domain(Workspace& ws, const Domain& domain, ConstraintSystem& system) {
  const std::size_t count = domain.variable_count();
  const std::span<Interval> bounds(ws.arena.array<Interval>(count), count);
  for (std::size_t i = 0; i < count; ++i) bounds[i] = ws.variables[i].bounds;
  return domain.with(bounds, system.spelled());
}

}  // namespace tessera::detail
