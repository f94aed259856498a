// SPDX-License-Identifier: Apache-2.0
#include "map/image/differences.h"

#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "map/simplify/environment.h"
#include "map/values/enumerate.h"
#include "map/values/value_set.h"

namespace tessera {
namespace {

// The smallest box that contains both domains.
std::vector<Interval> box_of_both(const IndexMap& a, const IndexMap& b) {
  std::vector<Interval> box = box_of((a.known_empty() ? b : a).domain());
  if (a.known_empty() || b.known_empty()) return box;
  for (std::size_t i = 0; i < box.size(); ++i) box[i] = hull(box[i], b.variables()[i].bounds);
  return box;
}

bool same_at(const MapEvaluator& first, const MapEvaluator& second, std::size_t results, std::size_t i) {
  if (first.inside(i) != second.inside(i)) return false;
  if (!first.inside(i)) return true;
  bool first_defined = true;
  bool second_defined = true;
  bool same = true;
  for (std::size_t r = 0; r < results; ++r) {
    first_defined = first_defined && first.defined(r, i);
    second_defined = second_defined && second.defined(r, i);
    same = same && first.value(r, i) == second.value(r, i);
  }
  return first_defined == second_defined && (!first_defined || same);
}

Count by_enumeration(const IndexMap& a, const IndexMap& b, std::vector<Interval> box) {
  MapEvaluator first(a);
  MapEvaluator second(b);
  Index differing = 0;
  const auto points = point_count(box);
  for (BoxRows rows(std::move(box)); rows.next();) {
    first.run(rows);
    second.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!same_at(first, second, a.results().size(), i)) ++differing;
  }
  if (detail::cancelled()) return {differing, points, std::string(detail::kCanceled)};
  return {differing, differing};
}

// The points of both domains; with `equal`, only those where the values are equal.
std::optional<IndexMap> common(const IndexMap& a, const IndexMap& b, bool equal) {
  Domain domain = a.domain();
  for (std::size_t v = 0; v < b.variables().size(); ++v)
    domain.constrain(Expr::variable(static_cast<Index>(v)), b.variables()[v].bounds);
  for (const Constraint& c : b.constraints()) domain.constrain(c.expr, c.range);
  for (std::size_t r = 0; equal && r < a.results().size(); ++r) {
    const Expr difference = a.results()[r] - b.results()[r];
    if (!range(difference, domain, false).is_finite()) return std::nullopt;
    domain.constrain(difference, Interval::point(0));
  }
  return IndexMap::make_unchecked(std::move(domain), {});
}

}  // namespace

Count count_differences(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits) {
  if (a.known_empty()) return count_points(b, limits);
  if (b.known_empty()) return count_points(a, limits);
  std::vector<Interval> box = box_of_both(a, b);
  const auto points = point_count(box);
  const std::uint64_t nodes = detail::distinct_nodes(a) + detail::distinct_nodes(b) + 1;
  if (points && *points <= limits.points && static_cast<std::uint64_t>(*points) <= limits.steps / nodes)
    return by_enumeration(a, b, std::move(box));
  const Count unknown = {0, points, "too many points to compare one by one"};
  if (!detail::has_values(a) || !detail::has_values(b)) return unknown;
  const auto shared = common(a, b, false);
  const auto same = common(a, b, true);
  if (!shared || !same) return unknown;
  // |A| + |B| - |both| - |both and equal|
  const Count parts[] = {count_points(a, limits), count_points(b, limits), count_points(*shared, limits),
                         count_points(*same, limits)};
  const bool exact = parts[0].exact() && parts[1].exact() && parts[2].exact();
  Index all = 0;
  if (!exact || add_overflows(parts[0].lower, parts[1].lower - parts[2].lower, all)) return unknown;
  Count out{parts[3].upper ? all - std::min(all, *parts[3].upper) : 0, all - std::min(all, parts[3].lower),
            parts[3].reason};
  if (out.exact()) out.reason.clear();
  return out;
}

}  // namespace tessera
