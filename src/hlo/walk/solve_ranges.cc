// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/solve_ranges.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "expr/questions/quick.h"
#include "expr/questions/view.h"
#include "hlo/indexing/variables.h"
#include "hlo/limits.h"
#include "map/values/enumerate.h"
#include "map/variable_set.h"

namespace tessera {
namespace {

// Whether the interval is so wide, compared with the factor of the variable, that the variable may have
// several values. Sees only small sums, where it avoids a view.
bool leaves_room(const Constraint& c, std::size_t variable, bool simplified) {
  if (c.expr.node_count() > detail::kHloLimits.walk.solved_nodes) return false;
  const auto factor = detail::quick_factor(c.expr, static_cast<Index>(variable));
  if (!factor) return simplified;
  Index width = 0;
  return *factor != 0 && *factor != kIndexMin &&
         (sub_overflows(c.range.upper, c.range.lower, width) || width >= std::abs(*factor));
}

// Whether the values of the expression depend on the variable, perhaps through places where runtime variables
// are read.
bool depends_on(const Indexing& indexing, Expr e, std::size_t variable) {
  const std::size_t first_runtime = indexing.map.variables().size() - indexing.runtime.size();
  detail::VariableSet used(e);
  std::vector<bool> followed(indexing.runtime.size());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < indexing.runtime.size(); ++i) {
      const IndexMap& at = indexing.runtime[i].map;
      if (followed[i] || !used.contains(first_runtime + i) || at.domain().symbol_count() == 0) continue;
      followed[i] = true;
      more = true;
      used.add(at.results());
    }
  }
  return used.contains(variable);
}

// Replaces a range variable that a constraint determines. In a `simplified` map, a variable that is part of
// another operation has no factor.
bool solve_one(Indexing& indexing, bool simplified) {
  const IndexMap& map = indexing.map;
  if (map.constraints().empty()) return false;
  std::vector<Interval> box;
  for (std::size_t v = map.dim_count(); v < map.dim_count() + map.range_count(); ++v) {
    for (const Constraint& c : map.constraints()) {
      if (!c.range.is_finite() || !detail::uses_variable(c.expr, v) || leaves_room(c, v, simplified))
        continue;
      if (box.empty()) box = box_of(map.domain());
      const auto view = detail::view(c.expr, box);
      const auto factor = view ? view->coefficient(static_cast<Index>(v)) : std::nullopt;
      Index width = 0;
      if (!factor || *factor == 0 || *factor == kIndexMin ||
          sub_overflows(c.range.upper, c.range.lower, width) || width >= std::abs(*factor)) {
        continue;
      }
      const Expr rest = view->without(static_cast<Index>(v));
      // In `n[i] == i`, the place of the runtime variable would become its own value.
      if (depends_on(indexing, rest, v)) continue;
      const Expr most = *factor > 0 ? Expr::constant(c.range.upper) - rest : rest - c.range.lower;
      detail::replace_variable(indexing, v, floor_div(most, std::abs(*factor)));
      return true;
    }
  }
  return false;
}

// Drops a range variable that occurs in only one constraint, with factor 1 or -1. The rest of the constraint
// determines for which values of the other variables it has a value.
bool drop_one(Indexing& indexing) {
  const IndexMap& map = indexing.map;
  if (map.constraints().empty()) return false;
  const bool only_dimensions = std::ranges::all_of(
      indexing.runtime, [](const RuntimeValue& value) { return value.map.domain().symbol_count() == 0; });
  if (!only_dimensions || !indexing.replica.empty()) return false;
  for (std::size_t v = map.dim_count(); v < map.dim_count() + map.range_count(); ++v) {
    const auto uses = [&](Expr e) { return detail::uses_variable(e, v); };
    if (std::ranges::any_of(map.results(), uses) ||
        std::ranges::count_if(map.constraints(), uses, &Constraint::expr) != 1) {
      continue;
    }
    const Constraint c = *std::ranges::find_if(map.constraints(), uses, &Constraint::expr);
    const auto view = detail::view(c.expr, box_of(map.domain()));
    const auto factor = view ? view->coefficient(static_cast<Index>(v)) : std::nullopt;
    if (!factor || std::abs(*factor) != 1) continue;
    const Interval own = map.variables()[v].bounds;
    const Interval left = c.range - (*factor == 1 ? own : -own);
    std::vector<bool> keep(map.variables().size(), true);
    keep[v] = false;
    std::vector<Expr> numbering;
    for (std::size_t i = 0; i < keep.size(); ++i)
      numbering.push_back(Expr::variable(static_cast<Index>(i > v ? i - 1 : i)));
    const IndexMap kept = detail::only_variables(map, keep);
    Domain domain = kept.domain();
    domain.constrain(substitute(view->without(static_cast<Index>(v)), numbering), left);
    indexing.map =
        IndexMap::make_unchecked(std::move(domain), {kept.results().begin(), kept.results().end()});
    return true;
  }
  return false;
}

}  // namespace

bool solve_ranges(Indexing& indexing, bool simplified) {
  if (indexing.exactness == Exactness::unknown) return false;
  bool changed = false;
  while (!indexing.map.known_empty() && (solve_one(indexing, simplified && !changed) || drop_one(indexing)))
    changed = true;
  return changed;
}

}  // namespace tessera
