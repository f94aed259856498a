// SPDX-License-Identifier: Apache-2.0
#include "map/judge/injectivity.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/cancellation.h"
#include "expr/limits.h"
#include "map/simplify/environment.h"
#include "map/values/enumerate.h"
#include "map/values/value_set.h"

namespace tessera::detail {
namespace {

std::uint64_t mixed(std::uint64_t hash, Index value) {
  return (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u + (hash >> 29);
}

// The points of a box by their numbers in lexicographic order.
class NumberedPoints {
 public:
  // `rank` is the number of variables that are dimensions.
  NumberedPoints(std::vector<Interval> box, std::size_t rank) : box_(std::move(box)) {
    for (std::size_t v = rank; v < box_.size(); ++v)
      per_dims_ *= static_cast<std::uint64_t>(*box_[v].count());
  }

  const std::vector<Interval>& box() const { return box_; }
  std::vector<Index> point(std::uint64_t number) const {
    std::vector<Index> out(box_.size());
    for (std::size_t v = box_.size(); v-- > 0;) {
      const auto count = static_cast<std::uint64_t>(*box_[v].count());
      out[v] = box_[v].lower + static_cast<Index>(number % count);
      number /= count;
    }
    return out;
  }
  // Whether two points have the same dimensions.
  bool same_dims(std::uint64_t a, std::uint64_t b) const { return a / per_dims_ == b / per_dims_; }

 private:
  std::vector<Interval> box_;
  std::uint64_t per_dims_ = 1;
};

// Two points of the box with different dimensions, the same runtime values and the same results; of several
// such pairs, the pair whose second point comes first. Sorts the points by a hash of runtime values and
// results, and compares points with equal hashes.
std::optional<Collision> find_collision(const IndexMap& map, std::vector<Interval> box) {
  struct Hashed {
    std::uint64_t hash;
    std::uint64_t number;
  };
  const NumberedPoints points(std::move(box), map.dim_count());
  const std::size_t first_runtime = map.variables().size() - map.runtime_count();
  std::vector<Hashed> hashed;
  MapEvaluator evaluator(map);
  std::uint64_t number = 0;
  for (BoxRows rows(points.box()); rows.next();) {
    evaluator.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i, ++number) {
      if (!evaluator.inside(i)) continue;
      std::uint64_t hash = 0;
      for (std::size_t v = first_runtime; v < rows.base().size(); ++v) {
        hash = mixed(hash, rows.base()[v] + (v + 1 == rows.base().size() ? static_cast<Index>(i) : 0));
      }
      bool defined = true;
      for (std::size_t r = 0; r < map.results().size(); ++r) {
        defined = defined && evaluator.defined(r, i);
        hash = mixed(hash, evaluator.value(r, i));
      }
      if (defined) hashed.push_back({hash, number});
    }
  }
  std::ranges::sort(hashed, {}, [](const Hashed& h) { return std::pair(h.hash, h.number); });

  std::optional<Collision> found;
  std::uint64_t second = number;  // the number of the second point of `found`
  for (auto begin = hashed.begin(); begin != hashed.end();) {
    const auto end =
        std::ranges::find_if(begin, hashed.end(), [&](const Hashed& h) { return h.hash != begin->hash; });
    const auto group = std::ranges::subrange(begin, end);
    begin = end;
    if (points.same_dims(group.front().number, group.back().number)) continue;
    std::map<std::vector<Index>, std::uint64_t> seen;  // runtime values and results -> first point
    for (const Hashed& h : group) {
      if (h.number >= second) break;
      std::vector<Index> point = points.point(h.number);
      const std::vector<Index> value = *map.evaluate(point);
      std::vector<Index> key(point.begin() + static_cast<std::ptrdiff_t>(first_runtime), point.end());
      key.insert(key.end(), value.begin(), value.end());
      const std::uint64_t first = seen.emplace(std::move(key), h.number).first->second;
      if (points.same_dims(first, h.number)) continue;
      second = h.number;
      std::vector<Index> other = points.point(first);
      other.resize(map.dim_count());
      point.resize(map.dim_count());
      found = Collision{std::move(other), std::move(point), value};
    }
  }
  return found;
}

// The whole box if it is small enough, otherwise its lower corner: a collision there is a collision of the
// map.
std::vector<Interval> searchable_box(const IndexMap& map, Index limit) {
  std::vector<Interval> box = box_of(map.domain());
  for (Index side = kLimits.far; side > 1; side /= 2) {
    const auto points = point_count(box);
    if (points && *points <= limit) return box;
    for (std::size_t i = 0; i < box.size(); ++i) {
      const Interval bounds = map.variables()[i].bounds;
      const Index lower = bounds.lower == kNegInf ? std::min<Index>(0, bounds.upper) : bounds.lower;
      Index width = 0;
      const bool whole = !sub_overflows(bounds.upper, lower, width) && width < side;
      box[i] = {lower, whole ? bounds.upper : lower + side - 1};
    }
  }
  // With very many variables, the last ones keep one value.
  for (std::size_t i = box.size(); i-- > 0;) {
    const auto points = point_count(box);
    if (points && *points <= limit) break;
    box[i].upper = box[i].lower;
  }
  return box;
}

// The pairs of points with equal runtime variables, equal values and equal first `same` dimensions, where the
// next dimension is smaller in the first point. If there are none for any `same`, no two points collide.
IndexMap collisions(const IndexMap& map, std::size_t same) {
  std::vector<Variable> variables(map.variables().begin(), map.variables().end());
  std::vector<Expr> other(variables.size());
  for (std::size_t v = 0; v < other.size(); ++v) {
    if (map.domain().kind(v) == VariableKind::runtime || v < same) {
      other[v] = Expr::variable(static_cast<Index>(v));
      continue;
    }
    other[v] = Expr::variable(static_cast<Index>(variables.size()));
    variables.push_back(map.variables()[v]);
  }
  for (Variable& v : variables) v.name.clear();
  const auto next = static_cast<Index>(same);
  Domain domain(std::move(variables), {}, {});
  domain.constrain(other[same] - Expr::variable(next), {1, kPosInf});
  for (const Constraint& c : map.constraints()) {
    domain.constrain(c.expr, c.range);
    domain.constrain(substitute(c.expr, other), c.range);
  }
  for (const Expr e : map.results()) domain.constrain(e - substitute(e, other), {0, 0});
  // The first point, the second point, then their common results.
  std::vector<Expr> points;
  for (std::size_t v = 0; v < map.dim_count(); ++v) points.push_back(Expr::variable(static_cast<Index>(v)));
  for (std::size_t v = 0; v < map.dim_count(); ++v) points.push_back(other[v]);
  for (const Expr e : map.results()) points.push_back(e);
  return IndexMap::make_unchecked(std::move(domain), std::move(points));
}

}  // namespace

InjectivityAnswer is_injective(const IndexMap& map, const JudgeLimits& limits) {
  const auto by_steps = static_cast<Index>(limits.steps / (distinct_nodes(map) + 1));
  const std::vector<Interval> box =
      searchable_box(map, std::min({limits.points, kLimits.collision_points, by_steps}));
  if (auto hit = find_collision(map, box)) return {.verdict = Verdict::no, .collision = std::move(hit)};
  if (cancelled()) return {.reason = std::string(kCanceled)};
  if (box == box_of(map.domain())) return {.verdict = Verdict::yes};
  // A smaller limit, because pairs have twice as many variables: if isl does not find the answer early, its
  // numbers grow, and an operation takes a thousand times as long.
  JudgeLimits pair_limits = limits;
  pair_limits.isl_operations = std::min(limits.isl_operations, kLimits.collision_operations);
  for (std::size_t same = 0; same < map.dim_count(); ++same) {
    const IndexMap pairs = collisions(map, same);
    const Emptiness empty = is_empty(pairs, pair_limits);
    if (empty.verdict == Verdict::undecided) return {.reason = empty.reason};
    if (empty.verdict == Verdict::yes && has_values(pairs)) continue;
    if (empty.verdict == Verdict::yes) return {.reason = kMayLackValues};
    const auto found = pairs.evaluate(empty.point);
    if (!found) return {.reason = "a point of the pair has no value"};
    const auto rank = static_cast<std::ptrdiff_t>(map.dim_count());
    return {.verdict = Verdict::no,
            .collision = Collision{{found->begin(), found->begin() + rank},
                                   {found->begin() + rank, found->begin() + 2 * rank},
                                   {found->begin() + 2 * rank, found->end()}}};
  }
  return {.verdict = Verdict::yes};
}

}  // namespace tessera::detail
