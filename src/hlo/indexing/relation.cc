// SPDX-License-Identifier: Apache-2.0
// Whether two indexings relate the same elements, or one relates a subset of the other's.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/indexing/fingerprint.h"
#include "hlo/indexing/variables.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using detail::few_points;
using detail::Fingerprint;
using detail::renumbered;

namespace {

/// Whether the maps agree in properties that do not depend on the numbering of range variables.
bool alike(const IndexMap& a, const IndexMap& b) {
  return a.range_count() == b.range_count() && a.constraints().size() == b.constraints().size() &&
         std::ranges::equal(a.results(), b.results(),
                            [](Expr x, Expr y) { return x.node_count() == y.node_count(); });
}

/// The map with its range variables in the order in which they occur; empty if the map is large.
std::optional<IndexMap> in_order_of_use(const IndexMap& map) {
  constexpr std::uint32_t kMaxNodes = 500;
  std::vector<Index> order;
  const auto ranges_begin = static_cast<Index>(map.dim_count());
  const auto ranges_end = static_cast<Index>(map.dim_count() + map.range_count());
  const auto visit = [&](auto&& self, Expr e) -> void {
    if (e.is_variable()) {
      if (e.value() >= ranges_begin && e.value() < ranges_end &&
          std::ranges::find(order, e.value()) == order.end()) {
        order.push_back(e.value());
      }
    } else if (e.is_binary()) {
      self(self, e.lhs());
      self(self, e.rhs());
    }
  };
  for (const Expr& e : map.results()) {
    if (e.node_count() > kMaxNodes) return std::nullopt;
    visit(visit, e);
  }
  for (Index v = ranges_begin; v < ranges_end; ++v) {
    if (std::ranges::find(order, v) == order.end()) order.push_back(v);
  }
  const auto all = map.variables();
  std::vector<Expr> numbering;
  std::vector<Variable> ranges;
  for (std::size_t v = 0; v < all.size(); ++v) numbering.push_back(Expr::variable(static_cast<Index>(v)));
  for (std::size_t i = 0; i < order.size(); ++i) {
    numbering[static_cast<std::size_t>(order[i])] = Expr::variable(ranges_begin + static_cast<Index>(i));
    ranges.push_back(all[static_cast<std::size_t>(order[i])]);
  }
  Domain domain({all.begin(), all.begin() + ranges_begin}, std::move(ranges),
                {all.begin() + ranges_end, all.end()});
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, numbering), c.range);
  return IndexMap::make_unchecked(std::move(domain), renumbered(map.results(), numbering));
}

/// The sorted pairs (start index, element); empty if a value is undefined.
std::optional<std::vector<std::vector<Index>>> enumerate_relation(const IndexMap& map, Index points) {
  std::vector<std::vector<Index>> relation;
  if (map.known_empty()) return relation;
  std::vector<Index> point;
  for (const Variable& v : map.variables()) point.push_back(v.bounds.lower);
  for (Index i = 0; i < points; ++i) {
    if (map.domain().constraints_satisfied(point)) {
      auto element = map.evaluate(point);
      if (!element) return std::nullopt;
      element->insert(element->begin(), point.begin(),
                      point.begin() + static_cast<std::ptrdiff_t>(map.dim_count()));
      relation.push_back(std::move(*element));
    }
    for (std::size_t v = point.size(); v-- > 0;) {
      if (++point[v] <= map.variables()[v].bounds.upper) break;
      point[v] = map.variables()[v].bounds.lower;
    }
  }
  std::ranges::sort(relation);
  relation.erase(std::ranges::unique(relation).begin(), relation.end());
  return relation;
}

bool same_by_enumeration(const IndexMap& a, const IndexMap& b) {
  const auto points_a = few_points(a);
  const auto points_b = few_points(b);
  if (!points_a || !points_b) return false;
  // Functions without constraints have one element per point, so different numbers of points mean different
  // domains.
  const bool functions =
      a.range_count() == 0 && b.range_count() == 0 && a.constraints().empty() && b.constraints().empty();
  if (functions && *points_a != *points_b) return false;
  const auto relation_a = enumerate_relation(a, *points_a);
  if (!relation_a) return false;
  const auto relation_b = enumerate_relation(b, *points_b);
  return relation_b && *relation_a == *relation_b;
}

/// Whether the two have the same value at every start index that both have.
bool same_value(const RuntimeValue& a, const RuntimeValue& b) {
  if (a.map.domain().symbol_count() > 0 || b.map.domain().symbol_count() > 0) return false;
  return a.source == b.source && a.tuple_index == b.tuple_index && a.inner == b.inner && a.text == b.text &&
         a.clamp == b.clamp && a.calls == b.calls && a.hops == b.hops && a.groups == b.groups &&
         std::ranges::equal(a.map.results(), b.map.results());
}

/// Whether the expression is not 0 at the first or the last point of the box, if that is in the domain.
bool differs_at_corners(Expr e, const Domain& domain) {
  std::vector<Index> lowest;
  std::vector<Index> highest;
  for (const Variable& v : domain.variables()) {
    lowest.push_back(v.bounds.lower);
    highest.push_back(v.bounds.upper);
  }
  const auto differs = [&](const std::vector<Index>& point) {
    const auto value = evaluate(e, point);
    return value && *value != 0 && domain.constraints_satisfied(point);
  };
  return differs(lowest) || differs(highest);
}

}  // namespace

bool same_relation(const Indexing& a, const Indexing& b) {
  if (a.exactness == Exactness::unknown || b.exactness == Exactness::unknown) {
    return a.exactness == b.exactness && a.reason == b.reason;
  }
  const bool same_values = a.runtime == b.runtime && a.replica == b.replica;
  if (same_values && a.map == b.map) return true;
  if (!a.runtime.empty() || !b.runtime.empty() || !a.replica.empty() || !b.replica.empty()) return false;
  if (a.map.dim_count() != b.map.dim_count() || a.map.results().size() != b.map.results().size())
    return false;
  if (!may_be_same(Fingerprint(a, a.map.domain()), Fingerprint(b, a.map.domain()))) return false;
  if (a.map.range_count() > 1 && alike(a.map, b.map)) {
    const auto ordered_a = in_order_of_use(a.map);
    const auto ordered_b = in_order_of_use(b.map);
    if (ordered_a && ordered_b && *ordered_a == *ordered_b) return true;
  }
  return same_by_enumeration(a.map, b.map);
}

bool contained(const Indexing& inner, const Indexing& outer) {
  if (inner.exactness == Exactness::unknown || outer.exactness == Exactness::unknown) return false;
  if (inner.map.known_empty()) return true;
  if (outer.map.known_empty() || !inner.replica.empty() || !outer.replica.empty()) return false;
  const IndexMap& a = inner.map;
  const IndexMap& b = outer.map;
  if (a.dim_count() != b.dim_count() || a.results().size() != b.results().size()) return false;
  for (std::size_t d = 0; d < a.dim_count(); ++d) {
    if (!b.variables()[d].bounds.contains(a.variables()[d].bounds)) return false;
  }
  // A range variable that is a result of `outer` takes the value of that result of `inner`.
  std::vector<Expr> binding;
  std::vector<bool> bound(b.variables().size(), false);
  for (std::size_t v = 0; v < b.variables().size(); ++v) {
    binding.push_back(Expr::variable(static_cast<Index>(v)));
    bound[v] = v < b.dim_count();
  }
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
    bound[v] = true;
  }
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr result = b.results()[i];
    if (!result.is_variable() || bound[static_cast<std::size_t>(result.value())]) continue;
    const auto v = static_cast<std::size_t>(result.value());
    if (!b.variables()[v].bounds.contains(range(a.results()[i], a.domain()))) return false;
    binding[v] = a.results()[i];
    bound[v] = true;
  }
  // Every other range variable of `outer` takes the value of `inner`'s range variable with the same number.
  for (std::size_t r = 0; r < std::min(a.range_count(), b.range_count()); ++r) {
    const std::size_t v = b.dim_count() + r;
    const std::size_t w = a.dim_count() + r;
    if (bound[v] || !b.variables()[v].bounds.contains(a.variables()[w].bounds)) continue;
    binding[v] = Expr::variable(static_cast<Index>(w));
    bound[v] = true;
  }
  const auto is_bound = [&](Expr e) {
    return std::ranges::all_of(variables(e), [&](Index v) { return bound[static_cast<std::size_t>(v)]; });
  };
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
  if (std::ranges::any_of(exprs, [&](Expr e) { return differs_at_corners(e, a.domain()); })) return false;
  const std::size_t equalities = exprs.size();
  for (const Constraint& c : b.constraints()) exprs.push_back(substitute(c.expr, binding));
  if (exprs.empty()) return true;
  const IndexMap simple = simplify(IndexMap::make_unchecked(a.domain(), std::move(exprs)));
  const auto values = simple.results();
  if (!std::ranges::all_of(values.first(equalities), [](Expr e) { return e.is_constant(0); })) return false;
  return std::ranges::equal(
      b.constraints(), values.subspan(equalities), [&](const Constraint& c, Expr value) {
        const auto implies = [&](const Constraint& own) {
          return own.expr == value && c.range.contains(own.range);
        };
        return std::ranges::any_of(a.constraints(), implies) || c.range.contains(range(value, a.domain()));
      });
}

}  // namespace tessera
