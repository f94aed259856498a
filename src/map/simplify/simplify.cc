// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/simplify.h"

#include <algorithm>

#include "expr/form/convert.h"
#include "expr/form/range.h"
#include "expr/limits.h"
#include "expr/questions/overflow.h"
#include "expr/spelling/structure_text.h"
#include "map/simplify/environment.h"
#include "map/simplify/result_text.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using detail::ConstraintSystem;
using detail::Form;
using detail::kLimits;
using detail::Workspace;

// Keeps a dimension in the results by name even if it has a single value. The constraints are already
// simplified.
void keep_point_dimensions(Workspace& ws, std::size_t dim_count) {
  for (std::size_t i = 0; i < dim_count; ++i) {
    if (!ws.variables[i].bounds.is_point()) continue;
    ws.variables[i].keep_point = true;
    ws.kept_points |= std::uint64_t{1} << (i % 64);
  }
  if (ws.kept_points != 0) ws.changed();
}

// Whether the map has more operators than another, and not fewer divisions.
bool larger(const IndexMap& map, const IndexMap& than) {
  struct Size {
    std::uint64_t operators = 0;
    std::uint64_t divisions = 0;
    void add(Expr e) {
      operators += e.node().operators - e.node().negations;
      divisions += e.node().divisions;
    }
  };
  const auto size = [](const IndexMap& of) {
    Size sum{.operators = of.constraints().size()};
    for (const Expr e : of.results()) sum.add(e);
    for (const Constraint& c : of.constraints()) sum.add(c.expr);
    return sum;
  };
  const Size own = size(map);
  const Size other = size(than);
  return own.operators > other.operators && own.divisions >= other.divisions;
}

// The domain with the given constraints, without those that the box of the variables implies.
Domain with_given_constraints(Workspace& ws, const Domain& box, const Domain& given) {
  std::vector<Interval> bounds;
  for (const Variable& v : box.variables()) bounds.push_back(v.bounds);
  const Domain empty_box = box.with(bounds, {});
  detail::start(ws, empty_box, detail::work_for(given.constraints(), {}));
  std::vector<Constraint> kept;
  for (const Constraint& c : given.constraints()) {
    const Form* const form = detail::convert(ws, c.expr);
    // Points where a constraint has no value are outside the domain.
    const bool total = !c.expr.node().divides_by_variable && detail::stays_in_64_bits(ws, c.expr);
    if (total && c.range.contains(detail::range(ws, form))) continue;
    const Expr words = total ? detail::structure_expr(ws, c.expr) : c.expr;
    kept.push_back({detail::stays_in_64_bits(ws, words) ? words : c.expr, c.range});
  }
  return empty_box.with(bounds, kept);
}

// The texts of the results in the environment, with `points` set in it; empty if the domain is empty or the
// environment stopped.
std::optional<std::vector<Expr>> result_texts(Workspace& ws, const IndexMap& map, Points points) {
  if (points == Points::preserve) keep_point_dimensions(ws, map.dim_count());
  std::vector<Expr> texts;
  texts.reserve(map.results().size());
  detail::PointFit fit(ws);
  for (const Expr e : map.results()) texts.push_back(detail::result_text(ws, fit, e));
  if (ws.infeasible || ws.stopped()) return std::nullopt;
  return texts;
}

// The text of a variable or a constant.
Expr operand_text(Expr e, const Domain& domain, Points points) {
  if (e.is_constant()) return e;
  const auto number = static_cast<std::size_t>(e.value());
  const Interval bounds = domain.variables()[number].bounds;
  const bool visible = points == Points::preserve && number < domain.dim_count();
  return bounds.is_point() && !visible ? Expr::constant(bounds.lower) : e;
}

// The map with simplified results if no result has an operator and there are no constraints.
std::optional<IndexMap> simplify_operands(const IndexMap& map, Points points) {
  if (!map.constraints().empty() || std::ranges::any_of(map.results(), &Expr::is_binary)) return std::nullopt;
  std::vector<Expr> results;
  results.reserve(map.results().size());
  for (const Expr e : map.results()) results.push_back(operand_text(e, map.domain(), points));
  return IndexMap::make_unchecked(map.domain(), std::move(results));
}

// Simplifies the results within the bounds of the variables and keeps the given domain. The result must not
// be used if the environment stopped.
IndexMap simplify_results(Workspace& ws, const IndexMap& map, Points points) {
  detail::start(ws, map.domain(), detail::work_for({}, map.results()));
  auto results = result_texts(ws, map, points);
  if (!results) return IndexMap::empty(map.domain(), map.results().size());
  return IndexMap::make_unchecked(map.domain(), *std::move(results));
}

// Simplifies a map; the result must not be used if the environment stopped. If its normal forms are longer,
// the map is simplified again with its original constraints, at most `repeats` times.
IndexMap simplify_in(Workspace& ws, const IndexMap& map, Points points,
                     int repeats = kLimits.simplifications) {
  const Domain& domain = map.domain();
  if (map.constraints().empty()) return simplify_results(ws, map, points);
  detail::start(ws, domain, detail::work_for(map.constraints(), map.results()));
  ConstraintSystem system(ws, domain);
  if (!system.solve() || ws.stopped()) return IndexMap::empty(domain, map.results().size());
  Domain simple = detail::spelled_domain(ws, domain, system);
  system.set_facts();
  auto results = result_texts(ws, map, points);
  if (!results) return IndexMap::empty(domain, map.results().size());
  IndexMap out = IndexMap::make_unchecked(std::move(simple), *std::move(results));
  // Within narrower bounds, constraints that were kept as written may become redundant.
  const bool again = system.keeps_some_as_given() && !(out.domain() == domain);
  if (again && repeats > 0) return simplify_in(ws, out, points, repeats - 1);
  if (!larger(out, map)) return out;
  IndexMap kept = IndexMap::make_unchecked(with_given_constraints(ws, out.domain(), domain),
                                           {out.results().begin(), out.results().end()});
  return repeats == 0 || kept == map ? kept : simplify_in(ws, kept, points, repeats - 1);
}

}  // namespace

IndexMap detail::simplified(Workspace& ws, const IndexMap& map, Points points) {
  IndexMap simple = simplify_in(ws, map, points);
  // If bounds of constraints overflow 64 bits during simplification, the domain stays as given.
  if (ws.overflowed && !ws.exhausted) simple = simplify_results(ws, map, points);
  if (ws.stopped()) return map;
  return simple;
}

IndexMap simplify(const IndexMap& map, Points points) {
  if (map.known_empty() || detail::too_deep(map.constraints(), map.results())) return map;
  if (auto simple = simplify_operands(map, points)) return *std::move(simple);
  const detail::BorrowedWorkspace ws;
  return detail::simplified(*ws, map, points);
}

Expr detail::simplified(Workspace& ws, Expr expr, const Domain& domain) {
  if (domain.known_empty() || detail::too_deep(domain.constraints(), {&expr, 1}) || expr.is_constant())
    return expr;
  detail::start(ws, domain, detail::work_for(domain.constraints(), {&expr, 1}));
  ConstraintSystem system(ws, domain);
  if (!system.solve() || ws.stopped()) return expr;
  system.set_facts();
  detail::PointFit fit(ws);
  const Expr text = detail::result_text(ws, fit, expr);
  return ws.stopped() ? expr : text;
}

Expr simplify(Expr expr, const Domain& domain) {
  if (expr.is_constant()) return expr;
  const detail::BorrowedWorkspace ws;
  return detail::simplified(*ws, expr, domain);
}

}  // namespace tessera
