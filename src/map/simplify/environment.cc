// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/environment.h"

#include <algorithm>

#include "expr/limits.h"
#include "expr/overflow.h"

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

bool stays_in_64_bits(const IndexMap& map) {
  const BorrowedWorkspace ws;
  start(*ws, map.domain(), work_for(map.constraints(), map.results()));
  const auto fits = [&](Expr e) { return text_stays_in_64_bits(*ws, e); };
  return std::ranges::all_of(map.constraints(), fits, &Constraint::expr) &&
         std::ranges::all_of(map.results(), fits) && !ws->stopped();
}

Domain spelled_domain(Workspace& ws, const Domain& domain, ConstraintSystem& system) {
  const std::size_t count = domain.variable_count();
  const std::span<Interval> bounds(ws.arena.array<Interval>(count), count);
  for (std::size_t i = 0; i < count; ++i) bounds[i] = ws.variables[i].bounds;
  return domain.with(bounds, system.spelled());
}

}  // namespace tessera::detail
