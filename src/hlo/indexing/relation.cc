// SPDX-License-Identifier: Apache-2.0
// Compares the relations of two indexings: equality and containment.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/indexing/variables.h"
#include "tessera/hlo/indexing_set.h"
#include "tessera/map/simplify.h"

namespace tessera {

using detail::renumbered;

namespace {

constexpr Index kMaxEnumeratedPoints = 1024;

/// Whether properties agree that do not change when range variables are renamed.
bool alike(const IndexMap& a, const IndexMap& b) {
  return a.range_count() == b.range_count() && a.constraints().size() == b.constraints().size() &&
         std::ranges::equal(a.results(), b.results(), [](Expr x, Expr y) {
           return x.kind() == y.kind() && x.node_count() == y.node_count();
         });
}

/// The map with its range variables in the order of their first use; empty if the map is large.
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

std::optional<Index> point_count(const IndexMap& map) {
  Index points = 1;
  for (const Variable& v : map.variables()) {
    const auto count = v.bounds.count();
    if (!count || mul_overflows(points, *count, points) || points > kMaxEnumeratedPoints) return std::nullopt;
  }
  return points;
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
  const auto points_a = point_count(a);
  const auto points_b = point_count(b);
  if (!points_a || !points_b) return false;
  // The functions agree at all fixed points but have different domains.
  const bool functions =
      a.range_count() == 0 && b.range_count() == 0 && a.constraints().empty() && b.constraints().empty();
  if (functions && *points_a != *points_b) return false;
  const auto relation_a = enumerate_relation(a, *points_a);
  if (!relation_a) return false;
  const auto relation_b = enumerate_relation(b, *points_b);
  return relation_b && *relation_a == *relation_b;
}

// --- fixed points
// ---------------------------------------------------------------------------------------------- Most members
// of a set differ already at the first start index.

constexpr std::size_t kMaxLookedAt = 16;  // variables, results, and elements of one start index

/// The distinct elements that one start index reads, sorted.
struct Elements {
  std::array<std::array<Index, 4>, kMaxLookedAt> at;
  std::size_t count = 0;
};

/// False if there are too many, or an element has no value or too many indices.
bool elements_at(const IndexMap& map, std::span<const Index> start, Elements& out) {
  const auto variables = map.variables();
  const std::size_t rank = map.results().size();
  if (variables.size() > kMaxLookedAt || rank > out.at[0].size()) return false;
  out.count = 0;
  std::array<Index, kMaxLookedAt> values{};
  for (std::size_t v = 0; v < variables.size(); ++v) {
    values[v] = v < start.size() ? start[v] : variables[v].bounds.lower;
    if (!variables[v].bounds.contains(values[v])) return true;
  }
  const std::span<const Index> point(values.data(), variables.size());
  std::size_t points = 1;
  for (std::size_t v = start.size(); v < variables.size(); ++v) {
    const auto count = variables[v].bounds.count();
    if (!count || *count > static_cast<Index>(kMaxLookedAt)) return false;
    points *= static_cast<std::size_t>(*count);
    if (points > kMaxLookedAt) return false;
  }
  for (std::size_t i = 0; i < points; ++i) {
    if (map.constraints().empty() || map.domain().constraints_satisfied(point)) {
      auto& element = out.at[out.count++];
      element = {};
      for (std::size_t r = 0; r < rank; ++r) {
        const auto value = evaluate(map.results()[r], point);
        if (!value) return false;
        element[r] = *value;
      }
    }
    for (std::size_t v = variables.size(); v-- > start.size();) {
      if (++values[v] <= variables[v].bounds.upper) break;
      values[v] = variables[v].bounds.lower;
    }
  }
  if (points == 1) return true;
  const auto end = out.at.begin() + static_cast<std::ptrdiff_t>(out.count);
  std::sort(out.at.begin(), end);
  out.count = static_cast<std::size_t>(std::unique(out.at.begin(), end) - out.at.begin());
  return true;
}

/// Whether two maps without runtime variables differ at some fixed point. False means "not known".
bool differ_at_fixed_points(const IndexMap& a, const IndexMap& b) {
  const std::size_t dims = a.dim_count();
  if (dims > kMaxLookedAt || a.known_empty() || b.known_empty()) return false;
  std::array<Index, kMaxLookedAt> start{};
  Elements of_a;
  Elements of_b;
  for (int corner = 0; corner < 3; ++corner) {
    for (std::size_t d = 0; d < dims; ++d) {
      const Interval bounds = a.variables()[d].bounds;
      if (!bounds.is_finite()) return false;
      const Index middle = bounds.lower + (bounds.upper - bounds.lower) / (2 + static_cast<Index>(d));
      start[d] = corner == 0 ? bounds.lower : corner == 1 ? bounds.upper : middle;
    }
    const std::span<const Index> at(start.data(), dims);
    if (!elements_at(a, at, of_a) || !elements_at(b, at, of_b)) return false;
    if (of_a.count != of_b.count ||
        !std::equal(of_a.at.begin(), of_a.at.begin() + static_cast<std::ptrdiff_t>(of_a.count),
                    of_b.at.begin()))
      return true;
  }
  return false;
}

}  // namespace

bool same_relation(const OperandIndexing& a, const OperandIndexing& b) {
  if (a.exactness == Exactness::unknown || b.exactness == Exactness::unknown) {
    return a.exactness == b.exactness && a.reason == b.reason;
  }
  const bool same_values = a.runtime == b.runtime && a.replica == b.replica;
  if (same_values && a.map == b.map) return true;
  if (!a.runtime.empty() || !b.runtime.empty() || !a.replica.empty() || !b.replica.empty()) return false;
  if (a.map.dim_count() != b.map.dim_count() || a.map.results().size() != b.map.results().size())
    return false;
  if (differ_at_fixed_points(a.map, b.map)) return false;
  if (a.map.range_count() > 1 && alike(a.map, b.map)) {
    const auto ordered_a = in_order_of_use(a.map);
    const auto ordered_b = in_order_of_use(b.map);
    if (ordered_a && ordered_b && *ordered_a == *ordered_b) return true;
  }
  return same_by_enumeration(a.map, b.map);
}

bool contained(const OperandIndexing& inner, const OperandIndexing& outer) {
  if (inner.exactness == Exactness::unknown || outer.exactness == Exactness::unknown) return false;
  if (inner.map.known_empty()) return true;
  if (outer.map.known_empty() || !inner.runtime.empty() || !outer.runtime.empty() || !inner.replica.empty() ||
      !outer.replica.empty()) {
    return false;
  }
  const IndexMap& a = inner.map;
  const IndexMap& b = outer.map;
  if (a.dim_count() != b.dim_count() || a.results().size() != b.results().size()) return false;
  for (std::size_t d = 0; d < a.dim_count(); ++d) {
    if (!b.variables()[d].bounds.contains(a.variables()[d].bounds)) return false;
  }
  // A range variable of `outer` that is itself a result takes the value of the corresponding result of
  // `inner`.
  std::vector<Expr> binding;
  std::vector<bool> bound(b.variables().size(), false);
  for (std::size_t v = 0; v < b.variables().size(); ++v) {
    binding.push_back(Expr::variable(static_cast<Index>(v)));
    bound[v] = v < b.dim_count();
  }
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const Expr result = b.results()[i];
    if (!result.is_variable() || bound[static_cast<std::size_t>(result.value())]) continue;
    const auto v = static_cast<std::size_t>(result.value());
    if (!b.variables()[v].bounds.contains(range(a.results()[i], a.domain()))) return false;
    binding[v] = a.results()[i];
    bound[v] = true;
  }
  const auto bind = [&](Expr e) -> std::optional<Expr> {
    for (const Index v : variables(e)) {
      if (!bound[static_cast<std::size_t>(v)]) return std::nullopt;
    }
    return simplify(substitute(e, binding), a.domain());
  };
  for (std::size_t i = 0; i < b.results().size(); ++i) {
    const auto value = bind(b.results()[i]);
    if (!value || !(*value == simplify(a.results()[i], a.domain()))) return false;
  }
  return std::ranges::all_of(b.constraints(), [&](const Constraint& c) {
    const auto value = bind(c.expr);
    return value && c.range.contains(range(*value, a.domain()));
  });
}

}  // namespace tessera
