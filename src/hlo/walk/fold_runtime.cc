// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/fold_runtime.h"

#include <algorithm>
#include <utility>

#include "expr/view.h"
#include "hlo/indexing/variables.h"
#include "map/values/enumerate.h"
#include "tessera/map/simplify.h"

namespace tessera {
namespace {

// The value, clamped as the instruction does it.
Expr clamped(Expr value, Interval clamp, const Domain& domain) {
  if (value.is_constant()) return Expr::constant(std::clamp(value.value(), clamp.lower, clamp.upper));
  const Interval reach = range(value, domain);
  if (reach.lower < clamp.lower) value = max(value, Expr::constant(clamp.lower));
  if (reach.upper > clamp.upper) value = min(value, Expr::constant(clamp.upper));
  return simplify(value, domain);
}

// The map with variable `gone` replaced by `value` and later variables renumbered.
IndexMap without(const IndexMap& map, std::size_t gone, Expr value) {
  const auto& variables = map.variables();
  std::vector<Variable> kinds[3];
  std::vector<Expr> replacements;
  replacements.reserve(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto number = static_cast<Index>(i);
    replacements.push_back(i == gone ? value : Expr::variable(i < gone ? number : number - 1));
    if (i != gone) kinds[static_cast<std::size_t>(map.domain().kind(i))].push_back(variables[i]);
  }
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  if (map.known_empty()) domain.set_known_empty();
  domain.constrain(value, variables[gone].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, replacements), c.range);
  std::vector<Expr> results;
  results.reserve(map.results().size());
  for (const Expr& result : map.results()) results.push_back(substitute(result, replacements));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

// `value` with the variables after `gone` renumbered.
Expr renumbered(Expr value, std::size_t gone, std::size_t count) {
  std::vector<Expr> replacements;
  for (std::size_t i = 0; i < count; ++i) {
    replacements.push_back(Expr::variable(static_cast<Index>(i <= gone ? i : i - 1)));
  }
  return substitute(value, replacements);
}

// Replaces one runtime variable; true on success.
bool fold_one(OperandIndexing& indexing, std::size_t which, const FoldOptions& options, bool& changed) {
  RuntimeValue& runtime = indexing.runtime[which];
  if (options.single_values && runtime.clamp.is_point()) {
    replace_runtime(indexing, which, Expr::constant(runtime.clamp.lower));
    return true;
  }
  if (runtime.source == nullptr || runtime.map.known_empty()) return false;
  const Domain& domain = runtime.map.domain();
  detail::ElementTrace trace(domain, options.elements);
  bool moved = false;
  // The trace neither uses spans nor changes instructions.
  detail::Element element =
      trace.origin({{const_cast<Instruction*>(runtime.source), runtime.tuple_index, {}, runtime.inner},
                    {runtime.map.results().begin(), runtime.map.results().end()},
                    runtime.calls},
                   moved);
  if (const auto value = trace.value(element)) {
    const Expr known = clamped(*value, runtime.clamp, domain);
    // A value that depends on the variable itself does not determine it.
    const auto own = static_cast<Index>(indexing.map.dim_count() + indexing.map.range_count() + which);
    const std::vector<Index> used = variables(known);
    if (std::ranges::find(used, own) == used.end()) {
      replace_runtime(indexing, which, known);
      return true;
    }
  }
  if (moved) {
    changed = true;
    runtime.source = element.value.instruction;
    runtime.tuple_index = element.value.tuple_index;
    runtime.inner = element.value.inner;
    runtime.calls = std::move(element.calls);
    runtime.map = IndexMap::make_unchecked(Domain(domain), std::move(element.at));
  }
  return false;
}

}  // namespace

void replace_variable(OperandIndexing& indexing, std::size_t gone, Expr value) {
  const std::size_t count = indexing.map.variables().size();
  value = renumbered(value, gone, count);
  const auto replace = [&](IndexMap& map) {
    if (map.variables().size() == count) map = without(map, gone, value);
  };
  replace(indexing.map);
  for (RuntimeValue& other : indexing.runtime) replace(other.map);
  for (ReplicaHop& hop : indexing.replica) {
    if (hop.from == ReplicaHop::From::element) replace(hop.map);
  }
}

void replace_runtime(OperandIndexing& indexing, std::size_t which, Expr value) {
  indexing.runtime.erase(indexing.runtime.begin() + static_cast<std::ptrdiff_t>(which));
  replace_variable(indexing, indexing.map.dim_count() + indexing.map.range_count() + which, value);
}

namespace {

bool mentions(Expr e, std::size_t variable) {
  return std::ranges::binary_search(variables(e), static_cast<Index>(variable));
}

// Replaces a range variable that a constraint determines.
bool solve_one(OperandIndexing& indexing) {
  const IndexMap& map = indexing.map;
  const std::vector<Interval> box = box_of(map.domain());
  for (std::size_t v = map.dim_count(); v < map.dim_count() + map.range_count(); ++v) {
    for (const Constraint& c : map.constraints()) {
      if (!c.range.is_finite() || !mentions(c.expr, v)) continue;
      const auto view = detail::view(c.expr, box);
      const auto factor = view ? view->coefficient(static_cast<Index>(v)) : std::nullopt;
      Index width = 0;
      if (!factor || *factor == 0 || *factor == kIndexMin ||
          sub_overflows(c.range.upper, c.range.lower, width) || width >= std::abs(*factor)) {
        continue;
      }
      const Expr rest = view->without(static_cast<Index>(v));
      const Expr most = *factor > 0 ? Expr::constant(c.range.upper) - rest : rest - c.range.lower;
      replace_variable(indexing, v, floor_div(most, std::abs(*factor)));
      return true;
    }
  }
  return false;
}

// Drops a range variable that occurs in only one constraint, with factor 1 or -1. The rest of the constraint
// says for which values of the other variables it exists.
bool drop_one(OperandIndexing& indexing) {
  const IndexMap& map = indexing.map;
  if (!indexing.runtime.empty() || !indexing.replica.empty()) return false;
  for (std::size_t v = map.dim_count(); v < map.dim_count() + map.range_count(); ++v) {
    const auto uses = [&](Expr e) { return mentions(e, v); };
    if (std::ranges::any_of(map.results(), uses)) continue;
    if (std::ranges::count_if(map.constraints(), uses, &Constraint::expr) != 1) continue;
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
    const IndexMap kept = detail::keep_variables(map, keep);
    Domain domain = kept.domain();
    domain.constrain(substitute(view->without(static_cast<Index>(v)), numbering), left);
    indexing.map =
        IndexMap::make_unchecked(std::move(domain), {kept.results().begin(), kept.results().end()});
    return true;
  }
  return false;
}

}  // namespace

bool solve_ranges(OperandIndexing& indexing) {
  if (indexing.exactness == Exactness::unknown) return false;
  bool changed = false;
  while (!indexing.map.known_empty() && (solve_one(indexing) || drop_one(indexing))) changed = true;
  return changed;
}

bool fold_runtime(OperandIndexing& indexing, const FoldOptions& options) {
  bool changed = false;
  if (indexing.exactness == Exactness::unknown || indexing.map.known_empty()) return false;
  for (std::size_t i = 0; i < indexing.runtime.size();) {
    if (fold_one(indexing, i, options, changed)) {
      changed = true;
    } else {
      ++i;
    }
  }
  return changed;
}

}  // namespace tessera
