// SPDX-License-Identifier: Apache-2.0
// Whether two indexings relate the same elements.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "hlo/indexing/fingerprint.h"
#include "map/variable_set.h"
#include "tessera/hlo/indexing.h"

namespace tessera {

using detail::few_points;
using detail::Fingerprint;
using detail::SmallVector;
using detail::VariableSet;

namespace {

/// Whether the maps agree in properties that do not depend on the numbering of range variables.
bool alike(const IndexMap& a, const IndexMap& b) {
  return a.range_count() == b.range_count() && a.constraints().size() == b.constraints().size() &&
         std::ranges::equal(a.results(), b.results(),
                            [](Expr x, Expr y) { return x.node_count() == y.node_count(); });
}

/// The place of each variable if the range variables come in the order in which they occur in the results,
/// then the others.
class OrderOfUse {
 public:
  explicit OrderOfUse(const IndexMap& map) : begin_(map.dim_count()), end_(begin_ + map.range_count()) {
    for (std::size_t v = 0; v < map.variables().size(); ++v) place_.push_back(v);
    for (const Expr e : map.results()) add(e);
    for (std::size_t v = begin_; v < end_; ++v) add(v);
  }

  std::size_t place(std::size_t v) const { return place_[v]; }
  /// The range variable that occurs first, second, ...
  std::size_t range(std::size_t i) const { return order_[i]; }

 private:
  void add(std::size_t v) {
    if (v < begin_ || v >= end_ || found_.contains(v)) return;
    found_.insert(v);
    place_[v] = begin_ + order_.size();
    order_.push_back(v);
  }
  void add(Expr e) {
    if (e.is_variable()) {
      add(static_cast<std::size_t>(e.value()));
    } else if (e.is_binary()) {
      add(e.lhs());
      add(e.rhs());
    }
  }

  std::size_t begin_;
  std::size_t end_;
  VariableSet found_ = {};
  SmallVector<std::size_t> place_ = {};
  SmallVector<std::size_t> order_ = {};
};

/// Whether an expression is too large to walk, because it may share its parts.
bool is_large(const IndexMap& map) {
  constexpr std::uint32_t kMaxNodes = 500;
  const auto large = [](Expr e) { return e.node_count() > kMaxNodes; };
  return std::ranges::any_of(map.results(), large) ||
         std::ranges::any_of(map.constraints(), large, &Constraint::expr);
}

/// Whether the maps are equal once their range variables are in the order of use. Requires equal numbers of
/// dimensions, range variables and results, and no runtime variables.
bool same_in_order_of_use(const IndexMap& a, const IndexMap& b) {
  if (a.known_empty() != b.known_empty() || is_large(a) || is_large(b)) return false;
  const OrderOfUse of_a(a);
  const OrderOfUse of_b(b);
  const auto same_bounds = [&](std::size_t v, std::size_t w) {
    return a.variables()[v].bounds == b.variables()[w].bounds;
  };
  for (std::size_t d = 0; d < a.dim_count(); ++d) {
    if (!same_bounds(d, d)) return false;
  }
  for (std::size_t i = 0; i < a.range_count(); ++i) {
    if (!same_bounds(of_a.range(i), of_b.range(i))) return false;
  }
  const auto same = [&](const auto& self, Expr x, Expr y) -> bool {
    if (x.kind() != y.kind()) return false;
    if (x.is_binary()) {
      return x.node_count() == y.node_count() && self(self, x.lhs(), y.lhs()) && self(self, x.rhs(), y.rhs());
    }
    if (x.is_constant()) return x.value() == y.value();
    return of_a.place(static_cast<std::size_t>(x.value())) == of_b.place(static_cast<std::size_t>(y.value()));
  };
  for (std::size_t i = 0; i < a.results().size(); ++i) {
    if (!same(same, a.results()[i], b.results()[i])) return false;
  }
  // The constraints of a map are distinct.
  return a.constraints().size() == b.constraints().size() &&
         std::ranges::all_of(a.constraints(), [&](const Constraint& x) {
           return std::ranges::any_of(b.constraints(), [&](const Constraint& y) {
             return x.range == y.range && same(same, x.expr, y.expr);
           });
         });
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

/// Steps to the next point of the box, the last variable first.
void step_in_box(std::span<Index> point, std::span<const Variable> variables) {
  for (std::size_t v = point.size(); v-- > 0;) {
    if (++point[v] <= variables[v].bounds.upper) break;
    point[v] = variables[v].bounds.lower;
  }
}

/// Empty if a value is undefined.
std::optional<Pairs> enumerate_relation(const IndexMap& map, Index points) {
  Pairs pairs{.width = map.dim_count() + map.results().size()};
  if (map.known_empty()) return pairs;
  std::vector<Index> point;
  for (const Variable& v : map.variables()) point.push_back(v.bounds.lower);
  pairs.values.reserve(static_cast<std::size_t>(points) * pairs.width);
  for (Index i = 0; i < points; ++i) {
    if (map.constraints().empty() || map.domain().constraints_satisfied(point)) {
      for (std::size_t d = 0; d < map.dim_count(); ++d) pairs.values.push_back(point[d]);
      for (const Expr& result : map.results()) {
        const auto value = evaluate(result, point);
        if (!value) return std::nullopt;
        pairs.values.push_back(*value);
      }
      pairs.order.push_back(static_cast<std::uint32_t>(pairs.order.size()));
    }
    step_in_box(point, map.variables());
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

/// Whether two functions, defined in the same box, have the same values.
bool same_values(const IndexMap& a, const IndexMap& b, Index points) {
  std::vector<Index> point;
  for (const Variable& v : a.variables()) point.push_back(v.bounds.lower);
  for (Index i = 0; i < points; ++i) {
    for (std::size_t r = 0; r < a.results().size(); ++r) {
      const auto value = evaluate(a.results()[r], point);
      if (!value) return false;
      if (a.results()[r] != b.results()[r] && value != evaluate(b.results()[r], point)) return false;
    }
    step_in_box(point, a.variables());
  }
  return true;
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
  if (functions && !a.known_empty() && !b.known_empty() &&
      std::ranges::equal(a.variables(), b.variables(), {}, &Variable::bounds, &Variable::bounds)) {
    return same_values(a, b, *points_a);
  }
  const auto relation_a = enumerate_relation(a, *points_a);
  if (!relation_a) return false;
  const auto relation_b = enumerate_relation(b, *points_b);
  return relation_b && *relation_a == *relation_b;
}

}  // namespace

bool detail::same_elements(const Indexing& a, const Indexing& b) {
  if (a.exactness == Exactness::unknown || b.exactness == Exactness::unknown) {
    return a.exactness == b.exactness && a.reason == b.reason;
  }
  if (!a.runtime.empty() || !b.runtime.empty() || !a.replica.empty() || !b.replica.empty()) return false;
  if (a.map.dim_count() != b.map.dim_count() || a.map.results().size() != b.map.results().size())
    return false;
  if (a.map.range_count() > 1 && alike(a.map, b.map) && same_in_order_of_use(a.map, b.map)) return true;
  return same_by_enumeration(a.map, b.map);
}

bool same_relation(const Indexing& a, const Indexing& b) {
  const bool known = a.exactness != Exactness::unknown && b.exactness != Exactness::unknown;
  if (known) {
    if (a.runtime == b.runtime && a.replica == b.replica && a.map == b.map) return true;
    if (!a.runtime.empty() || !b.runtime.empty() || !a.replica.empty() || !b.replica.empty()) return false;
    if (a.map.dim_count() != b.map.dim_count()) return false;
    const Domain& start = a.map.domain();
    Fingerprint of_a(a, start);
    Fingerprint of_b(b, start);
    if (!may_be_same(of_a, of_b)) return false;
    of_a.add_elements(a, start);
    of_b.add_elements(b, start);
    if (!may_be_same(of_a, of_b)) return false;
  }
  return detail::same_elements(a, b);
}

}  // namespace tessera
