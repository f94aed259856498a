// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/range.h"

#include "expr/form/convert.h"
#include "expr/form/range.h"
#include "map/simplify/environment.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using detail::ConstraintSystem;
using detail::Workspace;

Interval detail::range_within(Workspace& ws, Expr expr, const Domain& domain, bool use_constraints) {
  if (domain.known_empty() || detail::too_deep(domain.constraints(), {&expr, 1})) return {};
  detail::start(ws, domain, detail::work_for(domain.constraints(), {&expr, 1}));
  if (use_constraints) {
    ConstraintSystem system(ws, domain);
    if (!system.propagate() || ws.stopped()) return {};
    system.set_facts();
  }
  const Interval found = detail::range(ws, detail::convert(ws, expr));
  return ws.stopped() ? Interval{} : found;
}

Interval range(Expr expr, const Domain& domain, bool use_constraints) {
  if (domain.known_empty()) return {};
  if (expr.is_constant()) return Interval::point(expr.value());
  if (expr.is_variable() && (domain.constraints().empty() || !use_constraints))
    return domain.variables()[static_cast<std::size_t>(expr.value())].bounds;
  const detail::BorrowedWorkspace ws;
  return detail::range_within(*ws, expr, domain, use_constraints);
}

}  // namespace tessera
