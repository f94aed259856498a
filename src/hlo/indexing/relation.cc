// SPDX-License-Identifier: Apache-2.0
// Whether two indexings relate the same elements.
#include "hlo/indexing/relation.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/small_vector.h"
#include "expr/questions/quick.h"
#include "hlo/indexing/fingerprint.h"
#include "hlo/limits.h"
#include "map/values/pairs.h"
#include "map/variable_set.h"
#include "tessera/hlo/indexing.h"

namespace tessera {

using detail::few_points;
using detail::Fingerprint;
using detail::for_each_variable;
using detail::quick_range;
using detail::same_renamed;
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
    for (const Expr e : map.results())
      for_each_variable(e, [&](Index v) { add(static_cast<std::size_t>(v)); });
    for (std::size_t v = begin_; v < end_; ++v) add(v);
  }

  std::size_t operator()(Index v) const { return place_[static_cast<std::size_t>(v)]; }
  /// The range variable that occurs first, second, ...
  std::size_t range(std::size_t i) const { return order_[i]; }

 private:
  void add(std::size_t v) {
    if (v < begin_ || v >= end_ || found_.contains(v)) return;
    found_.insert(v);
    place_[v] = begin_ + order_.size();
    order_.push_back(v);
  }

  std::size_t begin_;
  std::size_t end_;
  VariableSet found_ = {};
  SmallVector<std::size_t> place_ = {};
  SmallVector<std::size_t> order_ = {};
};

/// Whether an expression is too large to walk, because it may share its parts.
bool is_large(const IndexMap& map) {
  const auto large = [](Expr e) { return e.node_count() > detail::kHloLimits.indexing.relation_nodes; };
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
  for (std::size_t i = 0; i < a.results().size(); ++i) {
    if (!same_renamed(a.results()[i], b.results()[i], of_a, of_b)) return false;
  }
  // The constraints of a map are distinct.
  return a.constraints().size() == b.constraints().size() &&
         std::ranges::all_of(a.constraints(), [&](const Constraint& x) {
           return std::ranges::any_of(b.constraints(), [&](const Constraint& y) {
             return x.range == y.range && same_renamed(x.expr, y.expr, of_a, of_b);
           });
         });
}

/// Whether a result has different values in the two maps, so that no element is in both relations.
bool apart(const IndexMap& a, const IndexMap& b) {
  const auto values = [](const IndexMap& map, std::size_t i) {
    return quick_range(map.results()[i],
                       [&](Index v) { return map.variables()[static_cast<std::size_t>(v)].bounds; });
  };
  for (std::size_t i = 0; i < a.results().size(); ++i) {
    if (a.results()[i] == b.results()[i]) continue;
    const auto of_a = values(a, i);
    const auto of_b = values(b, i);
    if (of_a && of_b && !of_a->intersects(*of_b)) return true;
  }
  return false;
}

bool same_by_enumeration(const IndexMap& a, const IndexMap& b) {
  const auto points_a = few_points(a);
  const auto points_b = few_points(b);
  if (!points_a || !points_b) return false;
  // Functions without constraints have one element per point, so different numbers of points mean different
  // domains.
  const auto is_function = [](const IndexMap& map) {
    return map.range_count() == 0 && map.constraints().empty();
  };
  if (is_function(a) && is_function(b) && *points_a != *points_b) return false;
  // Without constraints, and with values everywhere, a relation has pairs.
  if (a.constraints().empty() && !a.known_empty() && *points_a > 0 && apart(a, b)) return false;
  return detail::same_pairs(a, b).value_or(false);
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
