// SPDX-License-Identifier: Apache-2.0
// Whether two indexings relate the same elements.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hlo/indexing/fingerprint.h"
#include "map/variable_set.h"
#include "tessera/hlo/indexing.h"

namespace tessera {

using detail::few_points;
using detail::Fingerprint;
using detail::VariableSet;

namespace {

/// Whether the maps agree in properties that do not depend on the numbering of range variables.
bool alike(const IndexMap& a, const IndexMap& b) {
  return a.range_count() == b.range_count() && a.constraints().size() == b.constraints().size() &&
         std::ranges::equal(a.results(), b.results(),
                            [](Expr x, Expr y) { return x.node_count() == y.node_count(); });
}

/// The range variables in the order in which they occur in the results, then the others; empty if a result is
/// large.
std::optional<std::vector<std::size_t>> order_of_use(const IndexMap& map) {
  constexpr std::uint32_t kMaxNodes = 500;
  std::vector<std::size_t> order;
  order.reserve(map.range_count());
  const std::size_t begin = map.dim_count();
  const std::size_t end = begin + map.range_count();
  VariableSet found;
  const auto visit = [&](auto&& self, Expr e) -> void {
    if (e.is_variable()) {
      const auto v = static_cast<std::size_t>(e.value());
      if (v < begin || v >= end || found.contains(v)) return;
      found.insert(v);
      order.push_back(v);
    } else if (e.is_binary()) {
      self(self, e.lhs());
      self(self, e.rhs());
    }
  };
  for (const Expr& e : map.results()) {
    if (e.node_count() > kMaxNodes) return std::nullopt;
    visit(visit, e);
  }
  for (std::size_t v = begin; v < end; ++v) {
    if (!found.contains(v)) order.push_back(v);
  }
  return order;
}

/// The numbers that the variables of a map get if its range variables are in this order.
std::vector<Expr> numbering(const IndexMap& map, std::span<const std::size_t> order) {
  std::vector<Expr> out;
  out.reserve(map.variables().size());
  for (std::size_t v = 0; v < map.variables().size(); ++v)
    out.push_back(Expr::variable(static_cast<Index>(v)));
  for (std::size_t i = 0; i < order.size(); ++i)
    out[order[i]] = Expr::variable(static_cast<Index>(map.dim_count() + i));
  return out;
}

/// Whether the maps are equal once their range variables are in the order of use. Requires equal numbers of
/// dimensions, range variables and results, and no runtime variables.
bool same_in_order_of_use(const IndexMap& a, const IndexMap& b) {
  const auto order_a = order_of_use(a);
  const auto order_b = order_a ? order_of_use(b) : std::nullopt;
  if (!order_b || a.known_empty() != b.known_empty()) return false;
  const auto same_bounds = [&](std::size_t v, std::size_t w) {
    return a.variables()[v].bounds == b.variables()[w].bounds;
  };
  for (std::size_t d = 0; d < a.dim_count(); ++d) {
    if (!same_bounds(d, d)) return false;
  }
  for (std::size_t i = 0; i < order_a->size(); ++i) {
    if (!same_bounds((*order_a)[i], (*order_b)[i])) return false;
  }
  const std::vector<Expr> numbers_a = numbering(a, *order_a);
  const std::vector<Expr> numbers_b = numbering(b, *order_b);
  for (std::size_t i = 0; i < a.results().size(); ++i) {
    if (substitute(a.results()[i], numbers_a) != substitute(b.results()[i], numbers_b)) return false;
  }
  const auto renumbered = [](const IndexMap& map, std::span<const Expr> numbers) {
    std::vector<Constraint> out;
    for (const Constraint& c : map.constraints()) out.push_back({substitute(c.expr, numbers), c.range});
    return out;
  };
  return std::ranges::is_permutation(renumbered(a, numbers_a), renumbered(b, numbers_b));
}

/// The pairs (start index, element) of a relation: rows of `width` numbers, in the order of `order`.
struct Pairs {
  std::vector<Index> values = {};
  std::size_t width = 0;
  std::vector<std::uint32_t> order = {};  ///< the numbers of the rows, sorted and without equal rows

  std::span<const Index> row(std::uint32_t i) const { return std::span(values).subspan(i * width, width); }
  friend bool operator==(const Pairs& a, const Pairs& b) {
    return std::ranges::equal(a.order, b.order, [&](std::uint32_t x, std::uint32_t y) {
      return std::ranges::equal(a.row(x), b.row(y));
    });
  }
};

/// Empty if a value is undefined.
std::optional<Pairs> enumerate_relation(const IndexMap& map, Index points) {
  Pairs pairs{.width = map.dim_count() + map.results().size()};
  if (map.known_empty()) return pairs;
  std::vector<Index> point;
  for (const Variable& v : map.variables()) point.push_back(v.bounds.lower);
  pairs.values.reserve(static_cast<std::size_t>(points) * pairs.width);
  for (Index i = 0; i < points; ++i) {
    if (map.domain().constraints_satisfied(point)) {
      pairs.values.insert(pairs.values.end(), point.begin(),
                          point.begin() + static_cast<std::ptrdiff_t>(map.dim_count()));
      for (const Expr& result : map.results()) {
        const auto value = evaluate(result, point);
        if (!value) return std::nullopt;
        pairs.values.push_back(*value);
      }
      pairs.order.push_back(static_cast<std::uint32_t>(pairs.order.size()));
    }
    for (std::size_t v = point.size(); v-- > 0;) {
      if (++point[v] <= map.variables()[v].bounds.upper) break;
      point[v] = map.variables()[v].bounds.lower;
    }
  }
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::lexicographical_compare(pairs.row(a), pairs.row(b));
  };
  const auto equal = [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::equal(pairs.row(a), pairs.row(b));
  };
  if (!std::ranges::is_sorted(pairs.order, less)) std::ranges::sort(pairs.order, less);
  pairs.order.erase(std::ranges::unique(pairs.order, equal).begin(), pairs.order.end());
  return pairs;
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
  const Domain& start = a.map.domain();
  Fingerprint of_a(a, start);
  Fingerprint of_b(b, start);
  if (!may_be_same(of_a, of_b)) return false;
  of_a.add_elements(a, start);
  of_b.add_elements(b, start);
  if (!may_be_same(of_a, of_b)) return false;
  if (a.map.range_count() > 1 && alike(a.map, b.map) && same_in_order_of_use(a.map, b.map)) return true;
  return same_by_enumeration(a.map, b.map);
}

}  // namespace tessera
