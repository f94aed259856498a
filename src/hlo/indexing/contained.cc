// SPDX-License-Identifier: Apache-2.0
// Whether one indexing relates a subset of what another relates.
#include "hlo/indexing/contained.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "hlo/limits.h"
#include "map/parts.h"
#include "map/variable_set.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using detail::Corners;
using detail::SmallVector;
using detail::VariableSet;

namespace {

/// Whether the two have the same value at every start index that both have.
bool same_value(const RuntimeValue& a, const RuntimeValue& b) {
  if (a.map.domain().symbol_count() > 0 || b.map.domain().symbol_count() > 0) return false;
  return a.source == b.source && a.tuple_index == b.tuple_index && a.inner == b.inner && a.text == b.text &&
         a.clamp == b.clamp && a.calls == b.calls && a.hops == b.hops && a.groups == b.groups &&
         std::ranges::equal(a.map.results(), b.map.results());
}

/// Whether `b` reads no element that `a` reads at the corner of `a`. Looks only at results of `b` that are
/// constants, single variables, or the same for all elements of a start index.
bool misses(const IndexMap& b, const IndexMap& a, const Corners& corners, std::size_t corner) {
  const VariableSet dimensions = VariableSet::below(a.dim_count());  // the same in both maps
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr e = b.results()[i];
    const auto value = corners.result(corner, i);
    if (!value) continue;
    const auto v = e.is_variable() ? static_cast<std::size_t>(e.value()) : 0;
    if (e.is_variable() && v >= b.dim_count()) {
      const bool is_range = v < b.dim_count() + b.range_count();
      if (is_range && !b.variables()[v].bounds.contains(*value)) return true;
    } else if (e.node_count() <= detail::kHloLimits.indexing.corner_nodes &&
               dimensions.contains(VariableSet(e))) {
      const auto expected = evaluate(e, corners.point(corner));
      if (expected && *expected != *value) return true;
    }
  }
  return false;
}

/// Whether all values of the expression are in the interval. Looks at the constraints only if that is needed.
bool lies_in(Expr e, const Domain& domain, Interval values) {
  return values.contains(range(e, domain, false)) || values.contains(range(e, domain));
}

}  // namespace

void detail::Corners::try_next() {
  const bool last_index = (tried_ & 2) != 0;
  const bool last_symbols = (tried_ & 1) != 0;
  ++tried_;
  if (last_symbols && map_.domain().symbol_count() == 0) return;
  SmallVector<Index> point;
  for (std::size_t v = 0; v < map_.variables().size(); ++v) {
    const Interval bounds = map_.variables()[v].bounds;
    point.push_back((v < map_.dim_count() ? last_index : last_symbols) ? bounds.upper : bounds.lower);
  }
  if (!map_.domain().constraints_satisfied(point)) return;
  ++count_;
  for (const Index i : point) points_.push_back(i);
  for (const Expr e : map_.results()) values_.push_back(evaluate(e, point));
}

bool contained(const Indexing& inner, const Indexing& outer) { return detail::Contained(inner).in(outer); }

bool detail::Contained::in(const Indexing& outer) {
  const Indexing& inner = inner_;
  if (inner.exactness == Exactness::unknown || outer.exactness == Exactness::unknown) return false;
  if (inner.map.known_empty()) return true;
  if (outer.map.known_empty() || !inner.replica.empty() || !outer.replica.empty()) return false;
  const IndexMap& a = inner.map;
  const IndexMap& b = outer.map;
  if (a.dim_count() != b.dim_count() || a.results().size() != b.results().size()) return false;
  for (std::size_t d = 0; d < a.dim_count(); ++d) {
    if (!b.variables()[d].bounds.contains(a.variables()[d].bounds)) return false;
  }
  for (std::size_t corner = 0; corners_.has(corner); ++corner) {
    if (misses(b, a, corners_, corner)) return false;
  }
  // A range variable that is a result of `outer` takes the value of that result of `inner`.
  SmallVector<Expr> binding;
  VariableSet bound = VariableSet::below(b.dim_count());
  for (std::size_t v = 0; v < b.variables().size(); ++v)
    binding.push_back(Expr::variable(static_cast<Index>(v)));
  // A runtime variable of `outer` must be one of `inner` with the same value.
  const std::size_t runtimes_a = a.dim_count() + a.range_count();
  const std::size_t runtimes_b = b.dim_count() + b.range_count();
  for (std::size_t i = 0; i < outer.runtime.size(); ++i) {
    const auto same = std::ranges::find_if(
        inner.runtime, [&](const RuntimeValue& x) { return same_value(x, outer.runtime[i]); });
    if (same == inner.runtime.end()) return false;
    const std::size_t v = runtimes_b + i;
    const std::size_t w = runtimes_a + static_cast<std::size_t>(same - inner.runtime.begin());
    if (!b.variables()[v].bounds.contains(a.variables()[w].bounds)) return false;
    binding[v] = Expr::variable(static_cast<Index>(w));
    bound.insert(v);
  }
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr result = b.results()[i];
    if (!result.is_variable() || bound.contains(static_cast<std::size_t>(result.value()))) continue;
    const auto v = static_cast<std::size_t>(result.value());
    if (!lies_in(a.results()[i], a.domain(), b.variables()[v].bounds)) return false;
    binding[v] = a.results()[i];
    bound.insert(v);
  }
  // Every other range variable of `outer` takes the value of `inner`'s range variable with the same number.
  for (std::size_t r = 0; r < std::min(a.range_count(), b.range_count()); ++r) {
    const std::size_t v = b.dim_count() + r;
    const std::size_t w = a.dim_count() + r;
    if (bound.contains(v) || !b.variables()[v].bounds.contains(a.variables()[w].bounds)) continue;
    binding[v] = Expr::variable(static_cast<Index>(w));
    bound.insert(v);
  }
  const auto is_bound = [&](Expr e) { return bound.contains(VariableSet(e)); };
  if (!std::ranges::all_of(b.results(), is_bound) ||
      !std::ranges::all_of(b.constraints(), is_bound, &Constraint::expr)) {
    return false;
  }
  // One simplification of everything that must be equal, or lie in an interval, over the domain of `inner`.
  std::vector<Expr> exprs;
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr value = substitute(b.results()[i], binding);
    if (!(value == a.results()[i])) exprs.push_back(value - a.results()[i]);
  }
  for (std::size_t corner = 0; corners_.has(corner); ++corner) {
    const auto differs = [&](Expr e) { return evaluate(e, corners_.point(corner)).value_or(0) != 0; };
    if (std::ranges::any_of(exprs, differs)) return false;
  }
  const std::size_t equalities = exprs.size();
  for (const Constraint& c : b.constraints()) exprs.push_back(substitute(c.expr, binding));
  if (exprs.empty()) return true;
  const IndexMap simple = simplify_parts(IndexMap::make_unchecked(a.domain(), std::move(exprs)));
  const auto values = simple.results();
  if (!std::ranges::all_of(values.first(equalities), [](Expr e) { return e.is_constant(0); })) return false;
  return std::ranges::equal(
      b.constraints(), values.subspan(equalities), [&](const Constraint& c, Expr value) {
        const auto implies = [&](const Constraint& own) {
          return own.expr == value && c.range.contains(own.range);
        };
        return std::ranges::any_of(a.constraints(), implies) || lies_in(value, a.domain(), c.range);
      });
}

}  // namespace tessera
