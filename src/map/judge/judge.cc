// SPDX-License-Identifier: Apache-2.0
#include "tessera/map/judge.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/cancellation.h"
#include "base/plural.h"
#include "expr/limits.h"
#include "map/judge/judge_isl.h"
#include "map/rebuild.h"
#include "map/simplify/environment.h"
#include "map/values/enumerate.h"
#include "map/values/value_set.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

// Whether the limits allow enumerating `points` points with `nodes` operations each.
bool within(std::optional<Index> points, std::uint64_t nodes, const JudgeLimits& limits) {
  return points && *points <= limits.points &&
         static_cast<std::uint64_t>(*points) <= limits.steps / (nodes + 1);
}

// The number of points to sample if a box is too large to enumerate.
int sample_count(std::uint64_t nodes, const JudgeLimits& limits) {
  constexpr std::uint64_t kSlower = 64;  // how much longer a single point takes than a point of a row
  return static_cast<int>(
      std::clamp<std::uint64_t>(limits.steps / kSlower / (nodes + 1), 1, detail::kLimits.samples));
}

std::string too_many_points(std::optional<Index> points, const JudgeLimits& limits) {
  const std::string most = fmt::format("(limits: {} points, {} steps)", limits.points, limits.steps);
  if (!points) return "the number of points of the box exceeds 64 bits " + most;
  return fmt::format("the box has {} {}", detail::plural(*points, "point"), most);
}

// A value at which maps are likely to differ: an end of the interval, or some value between its ends.
Index sample(std::mt19937_64& random, Interval interval) {
  constexpr Index kFar = detail::kLimits.far;
  const Index lower = interval.lower == kNegInf ? std::min(-kFar, interval.upper) : interval.lower;
  const Index upper = interval.upper == kPosInf ? std::max(kFar, lower) : interval.upper;
  switch (random() % 4) {
    case 0:
      return lower;
    case 1:
      return upper;
    default:
      return std::uniform_int_distribution<Index>(lower, upper)(random);
  }
}

// A map has no value at the point if the point is outside the domain or a division is undefined. If neither
// map has a value, the reason says which domain contains the point.
Equality different_at(const IndexMap& a, const IndexMap& b, std::vector<Index> point, bool smallest = true) {
  Difference out{.point = std::move(point)};
  const bool in_a = a.domain().contains(out.point);
  if (in_a) out.first = a.evaluate(out.point);
  const bool in_b = b.domain().contains(out.point);
  if (in_b) out.second = b.evaluate(out.point);
  std::string reason;
  if (!out.first && !out.second && in_a != in_b) {
    reason = fmt::format("only the domain of the {} map contains the point", in_a ? "first" : "second");
  }
  return {.verdict = Verdict::no,
          .difference = std::move(out),
          .smallest = smallest,
          .reason = std::move(reason)};
}

// True if the point is in exactly one domain, or is in both and the values of the maps differ. A map has a
// value only if all its results have one.
bool differs(const IndexMap& a, const IndexMap& b, const std::vector<Index>& point) {
  const bool in_a = a.domain().contains(point);
  const bool in_b = b.domain().contains(point);
  if (in_a != in_b) return true;
  return in_a && a.evaluate(point) != b.evaluate(point);
}

Equality equal_by_enumeration(const IndexMap& a, const IndexMap& b, std::vector<Interval> box) {
  MapEvaluator first(a);
  MapEvaluator second(b);
  BoxRows rows(std::move(box));
  while (rows.next()) {
    first.run(rows);
    second.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool inside = first.inside(i);
      bool same = inside == second.inside(i);
      bool defined = same && inside;
      bool second_defined = defined;
      bool same_values = true;
      for (std::size_t r = 0; inside && same && r < a.results().size(); ++r) {
        defined = defined && first.defined(r, i);
        second_defined = second_defined && second.defined(r, i);
        same_values = same_values && first.value(r, i) == second.value(r, i);
      }
      same = same && defined == second_defined && (!defined || same_values);
      if (!same) return different_at(a, b, rows.point(i));
    }
  }
  if (detail::cancelled()) return {.reason = std::string(detail::kCanceled)};
  return {.verdict = Verdict::yes};
}

std::optional<std::vector<Index>> sampled_difference(const IndexMap& a, const IndexMap& b,
                                                     const std::vector<Interval>& box, int samples) {
  std::mt19937_64 random(1);  // a fixed seed, so that every run gives the same answer
  for (int i = 0; i < samples; ++i) {
    std::vector<Index> point;
    for (const Interval& interval : box) point.push_back(sample(random, interval));
    if (differs(a, b, point)) return point;
  }
  return std::nullopt;
}

}  // namespace

Equality equal(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits) {
  const auto counts = [](const IndexMap& map) {
    using detail::plural;
    return fmt::format(
        "{}, {}, {}, {}", plural(map.dim_count(), "dimension"), plural(map.range_count(), "range variable"),
        plural(map.runtime_count(), "runtime variable"), plural(map.results().size(), "result"));
  };
  if (counts(a) != counts(b)) return {.verdict = Verdict::no, .reason = counts(a) + "; " + counts(b)};
  if (a == b) return {.verdict = Verdict::yes};

  std::vector<Interval> box = box_of(a.domain());
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (a.known_empty()) {
      box[i] = b.variables()[i].bounds;
    } else if (!b.known_empty()) {
      box[i] = hull(box[i], b.variables()[i].bounds);
    }
  }
  const auto points = point_count(box);
  const std::uint64_t nodes = detail::distinct_nodes(a) + detail::distinct_nodes(b);
  const bool small = within(points, nodes, limits);
  if (small && *points <= detail::kLimits.quick_points) return equal_by_enumeration(a, b, std::move(box));
  // Normal forms and isl compute in unbounded arithmetic, and a normal form may have a value where an
  // expression divides by 0. So they only decide about maps that have a value everywhere.
  const bool same_forms = limits.normal_forms && simplify(a) == simplify(b);
  const bool total = detail::has_values(a) && detail::has_values(b);
  if (same_forms && total) return {.verdict = Verdict::yes};
  if (small) return equal_by_enumeration(a, b, std::move(box));

  const auto sampled = sampled_difference(a, b, box, sample_count(nodes, limits));
  // After a difference is known, isl only looks for a smaller one.
  const unsigned long operations =
      sampled ? std::min(limits.isl_operations, detail::kLimits.smaller_operations) : limits.isl_operations;
  Equality answer = same_forms ? Equality{.verdict = Verdict::yes} : detail::isl_equal(a, b, operations);
  if (answer.verdict == Verdict::yes && !total) {
    answer = {.reason = fmt::format("where both maps have values, the values are equal; {}",
                                    detail::kMayLackValues)};
  }
  if (answer.verdict == Verdict::no) {
    std::vector<Index>& point = answer.difference->point;
    // At a smaller point only one map may have a value.
    const bool smallest = answer.smallest && total;
    if (differs(a, b, point)) return different_at(a, b, std::move(point), smallest);
    // Unbounded arithmetic tells the maps apart at a point where neither has a value in 64 bits.
    answer = {.reason = fmt::format("the maps differ at ({}), but both exceed 64 bits there",
                                    fmt::join(point, ", "))};
  }
  if (sampled) {
    const bool first = std::ranges::equal(*sampled, box, {}, {}, &Interval::lower);
    return different_at(a, b, *sampled, first);
  }
  if (answer.verdict == Verdict::undecided) {
    answer.reason = too_many_points(points, limits) + "; " + answer.reason;
  }
  return answer;
}

Emptiness is_empty(const IndexMap& map, const JudgeLimits& limits) {
  if (map.known_empty()) return {.verdict = Verdict::yes};
  const std::vector<Interval> box = box_of(map.domain());
  const IndexMap domain = IndexMap::make_unchecked(map.domain(), {});
  const auto points = point_count(box);
  const std::uint64_t nodes = detail::distinct_nodes(domain);
  const bool small = within(points, nodes, limits);
  if (!small || map.constraints().empty()) {
    std::mt19937_64 random(1);
    for (int i = sample_count(nodes, limits); i > 0; --i) {
      std::vector<Index> point;
      for (const Interval& interval : box) point.push_back(sample(random, interval));
      if (map.domain().contains(point)) return {.verdict = Verdict::no, .point = std::move(point)};
    }
  }
  if (small) {
    std::vector<Index> first;
    const bool none = for_each_point(domain, box, [&](const WalkedPoint& point) {
      first = point.coordinates();
      return false;
    });
    if (none && detail::cancelled()) return {.reason = std::string(detail::kCanceled)};
    return {.verdict = none ? Verdict::yes : Verdict::no, .point = std::move(first)};
  }
  if (limits.normal_forms && simplify(domain).known_empty()) return {.verdict = Verdict::yes};
  Emptiness answer = detail::isl_is_empty(domain, limits.isl_operations);
  const bool found = !answer.point.empty() && map.domain().contains(answer.point);
  if (answer.verdict == Verdict::no && !found && !detail::has_values(domain)) {
    answer = {.reason = detail::kMayLackValues};
  }
  if (answer.verdict == Verdict::undecided) {
    answer.reason = too_many_points(points, limits) + "; " + answer.reason;
  }
  return answer;
}

namespace {

// Turns all variables into dimensions, in the order dimensions, runtime variables, range variables, so that a
// row sweeps range variables.
IndexMap ranges_last(const IndexMap& map) {
  detail::VariableLists lists;
  std::vector<Expr> replacements(map.variables().size());
  for (const auto kind : {VariableKind::dimension, VariableKind::runtime, VariableKind::range}) {
    for (std::size_t i = 0; i < map.variables().size(); ++i) {
      if (map.domain().kind(i) != kind) continue;
      replacements[i] = Expr::variable(static_cast<Index>(lists.dims.size()));
      lists.dims.push_back({map.variables()[i].bounds});
    }
  }
  return detail::rebuild_over(map, std::move(lists).domain(), replacements);
}

// Calls visit(value) for each value that the map takes at one start point, over its range variables, until it
// returns false.
template <class Visit>
bool for_each_value(MapEvaluator& evaluator, const IndexMap& map, std::span<const Index> start,
                    const Visit& visit) {
  std::vector<Interval> box = box_of(map.domain());
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (!box[i].contains(start[i])) return true;
    box[i] = Interval::point(start[i]);
  }
  BoxRows rows(std::move(box));
  while (rows.next()) {
    evaluator.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.inside(i)) continue;
      if (auto value = evaluator.values(i); value && !visit(std::move(*value))) return false;
    }
  }
  return true;
}

}  // namespace

Inclusion footprint_within(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits) {
  if (a.dim_count() != b.dim_count() || a.runtime_count() != b.runtime_count() ||
      a.results().size() != b.results().size()) {
    return {.reason = "the maps do not start from the same variables or differ in their number of results"};
  }
  if (a.known_empty()) return {.verdict = Verdict::yes};
  const auto small = [&](const IndexMap& map) {
    return within(point_count(box_of(map.domain())), detail::distinct_nodes(map), limits);
  };
  if (!small(a) || !small(b)) {
    const Inclusion answer = detail::isl_footprint_within(a, b, limits.isl_operations);
    // A value of `a` must exist to be missing, and one of `b` must exist to be there.
    const IndexMap& needed = answer.verdict == Verdict::no ? a : b;
    if (answer.verdict == Verdict::undecided || detail::has_values(needed)) return answer;
    return {.reason = detail::kMayLackValues};
  }
  const IndexMap first = ranges_last(a);
  const IndexMap second = ranges_last(b);
  MapEvaluator first_values(first);
  MapEvaluator second_values(second);
  const std::size_t starts = a.dim_count() + a.runtime_count();
  std::vector<Interval> start_box = box_of(first.domain());
  start_box.resize(starts);
  BoxRows rows(std::move(start_box));
  while (rows.next()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<Index> start = rows.point(i);
      std::set<std::vector<Index>> known;
      if (!second.known_empty()) {
        for_each_value(second_values, second, start, [&](std::vector<Index> value) {
          known.insert(std::move(value));
          return true;
        });
      }
      Inclusion answer{.verdict = Verdict::no, .point = start};
      if (!for_each_value(first_values, first, start, [&](std::vector<Index> value) {
            if (known.contains(value)) return true;
            answer.value = std::move(value);
            return false;
          })) {
        // If it was canceled, `known` may lack values.
        if (detail::cancelled()) return {.reason = std::string(detail::kCanceled)};
        return answer;
      }
    }
  }
  if (detail::cancelled()) return {.reason = std::string(detail::kCanceled)};
  return {.verdict = Verdict::yes};
}

}  // namespace tessera
