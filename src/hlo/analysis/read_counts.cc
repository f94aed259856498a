// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/read_counts.h"

#include <algorithm>
#include <utility>

#include "base/cancellation.h"
#include "expr/questions/view.h"
#include "hlo/limits.h"
#include "map/image/image_union.h"
#include "map/values/enumerate.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

/// The counts of one map.
struct MapCounts {
  Count used = {};
  Count reads = {};
  Count reachable = {};
  bool placed = true;   // the elements do not depend on runtime variables
  bool certain = true;  // no runtime value is outside its interval, where nothing is read
};

Count at_most(Count count, std::optional<Index> most) {
  if (most && (!count.upper || *most < *count.upper)) count.upper = most;
  count.lower = std::min(count.lower, count.upper.value_or(kIndexMax));
  if (count.exact()) count.reason.clear();
  return count;
}

// The counts if every result is a constant or a variable of its own, and nothing is constrained. This covers
// most maps of a program at a hundredth of the cost.
std::optional<MapCounts> plain_counts(const IndexMap& map) {
  if (map.known_empty()) return MapCounts{{0, 0}, {0, 0}, {0, 0}};
  if (!map.constraints().empty() || map.runtime_count() > 0) return std::nullopt;
  std::vector<bool> in_results(map.variables().size());
  Count used{1, 1};
  for (const Expr e : map.results()) {
    if (e.is_constant()) continue;
    if (!e.is_variable() || in_results[static_cast<std::size_t>(e.value())]) return std::nullopt;
    in_results[static_cast<std::size_t>(e.value())] = true;
  }
  Index points = 1;
  Index values = 1;
  for (std::size_t v = 0; v < in_results.size(); ++v) {
    const auto count = map.variables()[v].bounds.count();
    if (!count || mul_overflows(points, *count, points)) return std::nullopt;
    if (in_results[v]) values *= *count;
  }
  used = {values, values};
  return MapCounts{used, {points, points}, used};
}

class RuntimeMap {
 public:
  explicit RuntimeMap(const CountedMap& counted)
      : counted_(counted),
        map_(varies_within(counted) ? counted.map : shifted(counted.map)),
        first_(map_.variables().size() - map_.runtime_count()) {}

  MapCounts counts(const JudgeLimits& limits) const {
    MapCounts out = counts_in_intervals(limits);
    for (std::size_t i = 0; i < counted_.clamps.size(); ++i) {
      if (map_.variables()[first_ + i].bounds.contains(counted_.clamps[i])) continue;
      out.certain = false;
      for (Count* count : {&out.used, &out.reads}) {
        count->lower = 0;
        if (!count->exact() && count->reason.empty()) count->reason = kDepends;
      }
    }
    return out;
  }

  /// The map with the runtime variables and `others` fixed at their lower bounds.
  IndexMap pinned(const std::vector<std::size_t>& others, bool without_constraints = false) const {
    std::vector<Interval> box = box_of(map_.domain());
    for (std::size_t v = first_; v < box.size(); ++v) box[v] = Interval::point(box[v].lower);
    for (const std::size_t v : others) box[v] = Interval::point(box[v].lower);
    return in_box(box, without_constraints);
  }

 private:
  MapCounts counts_in_intervals(const JudgeLimits& limits) const {
    MapCounts out;
    out.reachable = count_image(map_, limits);
    out.placed = false;
    const bool varies = varies_within(counted_);
    const bool in_constraints =
        std::ranges::any_of(map_.constraints(), [&](const Constraint& c) { return at_runtime(c.expr); });
    if (in_constraints) {
      if (!varies && count_executions(out, limits)) return out;
      out.reads = {0, count_points(pinned({}, true), limits).upper, kDepends};
      out.used = at_most({0, out.reachable.upper, kDepends}, out.reads.upper);
      return out;
    }
    out.placed = std::ranges::none_of(map_.results(), [&](Expr e) { return at_runtime(e); });
    const IndexMap one = pinned({});
    out.reads = count_points(one, limits);
    if (!varies && (out.placed || additive())) {
      out.used = count_image(one, limits);
      return out;
    }
    // Indices with equal runtime values read at least this many distinct elements together.
    Index least = out.reads.lower > 0 ? 1 : 0;
    if (additive() && map_.constraints().empty()) least = count_image(pinned(counted_.sources), limits).lower;
    out.used = at_most({least, out.reachable.upper, kDepends}, out.reads.upper);
    return out;
  }

  static constexpr const char* kDepends = "the number depends on values known only at run time";

  static bool varies_within(const CountedMap& counted) {
    return std::ranges::find(counted.varies, true) != counted.varies.end();
  }

  // Replaces a variable v by x - rest where v + rest, with `rest` over runtime variables only, is
  // constrained: d0 - rt0 in [0, 3] becomes x0 in [0, 3]. For each value of the runtime variables the points
  // correspond one to one.
  static IndexMap shifted(const IndexMap& original) {
    IndexMap map = original;
    const std::size_t first = map.variables().size() - map.runtime_count();
    for (std::size_t turn = 0; turn < original.constraints().size(); ++turn) {
      const auto next = shifted_once(map, first);
      if (!next) break;
      map = simplify(*next);
      if (map.known_empty()) break;
    }
    return map;
  }

  static std::optional<IndexMap> shifted_once(const IndexMap& map, std::size_t first) {
    const std::vector<Interval> box = box_of(map.domain());
    for (const Constraint& c : map.constraints()) {
      const std::vector<Index> used = variables(c.expr);
      const auto is_runtime = [&](Index v) { return std::cmp_greater_equal(v, first); };
      if (std::ranges::count_if(used, is_runtime) != std::ssize(used) - 1 || used.size() < 2) continue;
      const Index v = *std::ranges::find_if_not(used, is_runtime);
      const auto seen = view(c.expr, box);
      const Index factor = seen && seen->has_values ? seen->coefficient(v).value_or(0) : 0;
      const auto bounds = seen && seen->range.is_finite() ? intersect(seen->range, c.range) : std::nullopt;
      if (!bounds || (factor != 1 && factor != -1)) continue;
      const Expr x = Expr::variable(v);
      const Expr old = factor == 1 ? x - seen->without(v) : seen->without(v) - x;
      std::vector<Expr> moved(box.size());
      for (std::size_t i = 0; i < box.size(); ++i) moved[i] = Expr::variable(static_cast<Index>(i));
      moved[static_cast<std::size_t>(v)] = old;
      std::vector<Interval> new_box = box;
      new_box[static_cast<std::size_t>(v)] = *bounds;
      Domain domain = map.domain().with(new_box, {});
      for (const Constraint& other : map.constraints()) {
        if (!(other.expr == c.expr)) domain.constrain(substitute(other.expr, moved), other.range);
      }
      domain.constrain(old, box[static_cast<std::size_t>(v)]);
      std::vector<Expr> results;
      for (const Expr e : map.results()) results.push_back(substitute(e, moved));
      return IndexMap::make_unchecked(std::move(domain), std::move(results));
    }
    return std::nullopt;
  }

  bool at_runtime(Expr e) const {
    return std::ranges::any_of(variables(e), [&](Index v) { return std::cmp_greater_equal(v, first_); });
  }

  // Whether every result is the sum of a part without runtime variables and a part of only these. Other
  // runtime values then move all elements by the same distance.
  bool additive() const {
    const std::vector<Interval> box = box_of(map_.domain());
    return std::ranges::all_of(map_.results(), [&](Expr e) {
      const auto seen = view(e, box);
      return seen && seen->has_values && std::ranges::all_of(seen->terms, [&](const DigitTerm& term) {
               const auto at = [&](Index v) { return std::cmp_greater_equal(v, first_); };
               return std::ranges::all_of(term.variables, at) || std::ranges::none_of(term.variables, at);
             });
    });
  }

  // The map over `box`; if `without_constraints`, without the constraints that use runtime variables.
  IndexMap in_box(std::span<const Interval> box, bool without_constraints) const {
    std::vector<Constraint> kept;
    for (const Constraint& c : map_.constraints()) {
      if (!without_constraints || !at_runtime(c.expr)) kept.push_back(c);
    }
    return IndexMap::make_unchecked(map_.domain().with(box, std::move(kept)),
                                    {map_.results().begin(), map_.results().end()});
  }

  // Counts for every combination of runtime values; false if there are too many.
  bool count_executions(MapCounts& out, const JudgeLimits& limits) const {
    std::vector<Interval> box = box_of(map_.domain());
    const auto executions = point_count(std::span(box).subspan(first_));
    if (!executions || *executions > kHloLimits.analysis.executions) return false;
    bool first = true;
    for (BoxRows rows({box.begin() + static_cast<std::ptrdiff_t>(first_), box.end()}); rows.next();) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<Index> values = rows.point(i);
        for (std::size_t k = 0; k < values.size(); ++k) box[first_ + k] = Interval::point(values[k]);
        const IndexMap one = in_box(box, false);
        add_execution(out.used, count_image(one, limits), first);
        add_execution(out.reads, count_points(one, limits), first);
        first = false;
      }
    }
    return !cancelled();
  }

  static void add_execution(Count& all, const Count& one, bool first) {
    if (first) {
      all = one;
      return;
    }
    all.lower = std::min(all.lower, one.lower);
    all.upper = all.upper && one.upper ? std::optional(std::max(*all.upper, *one.upper)) : std::nullopt;
    if (!all.exact() && all.reason.empty()) all.reason = one.reason.empty() ? kDepends : one.reason;
  }

  const CountedMap& counted_;
  IndexMap map_;
  std::size_t first_;  // the first runtime variable
};

void add_reason(std::string& reason, const std::string& more) {
  if (reason.empty()) reason = more;
}

}  // namespace

JudgeLimits quick_limits() {
  return {.points = Index{1} << 14,
          .isl_operations = 0,
          .steps = std::uint64_t{1} << 22,
          .cells = Index{1} << 22};
}

CountedMap counted_map(const Indexing& indexing) {
  CountedMap out{.map = indexing.map, .exactness = indexing.exactness, .reason = indexing.reason};
  for (const RuntimeValue& value : indexing.runtime) {
    bool varies = false;
    for (const Expr e : value.map.results()) {
      for (const Index v : variables(e)) {
        varies = true;
        out.sources.push_back(static_cast<std::size_t>(v));
      }
    }
    out.varies.push_back(varies);
    out.clamps.push_back(value.clamp);
  }
  return out;
}

ReadCounts count_all(std::span<const CountedMap> maps, Index elements, const JudgeLimits& limits) {
  ReadCounts out;                      // starts as the counts of no elements
  std::vector<IndexMap> reachable;     // all maps, whose runtime variables may have any value
  std::vector<IndexMap> placed;        // all placed maps, for the upper bound
  std::vector<IndexMap> placed_exact;  // the exact ones, for the lower bound
  std::optional<MapCounts> only;       // the counts of the single placed map
  bool plain = true;                   // every element of a map is read equally often
  Count elsewhere{0, 0};               // the other maps; `lower` is the largest lower bound of one
  for (const CountedMap& x : maps) {
    out.exactness = std::max(out.exactness, x.exactness);
    if (x.exactness != Exactness::exact) add_reason(out.reason, x.reason);
    if (x.exactness == Exactness::unknown) {
      out.reads = sum(out.reads, {0, std::nullopt, x.reason});
      out.reachable = sum(out.reachable, {0, std::nullopt, x.reason});
      elsewhere = {elsewhere.lower, std::nullopt, x.reason};
      continue;
    }
    auto own = plain_counts(x.map);
    const bool is_plain = own.has_value();
    if (!own && x.map.runtime_count() > 0) own = RuntimeMap(x).counts(limits);
    if (!own) {
      own = MapCounts{count_image(x.map, limits), count_points(x.map, limits), {}};
      own->reachable = own->used;
    }
    plain = plain && is_plain;
    if (x.hoisted && own->used.upper && *own->used.upper <= 1)
      own->reads = at_most(own->reads, own->used.upper);
    if (x.exactness == Exactness::superset) {
      own->used.lower = own->reads.lower = own->reachable.lower = 0;
      for (Count* count : {&own->used, &own->reads, &own->reachable}) {
        if (!count->exact() && count->reason.empty()) count->reason = x.reason;
      }
    }
    out.reads = sum(out.reads, own->reads);
    out.reachable = sum(out.reachable, own->reachable);
    reachable.push_back(x.map);
    if (!own->placed) {
      const Index least = std::max(elsewhere.lower, own->used.lower);
      elsewhere = sum(elsewhere, own->used);
      elsewhere.lower = least;
      continue;
    }
    const IndexMap map = x.map.runtime_count() > 0 ? RuntimeMap(x).pinned({}) : x.map;
    only = placed.empty() ? own : std::nullopt;
    if (x.exactness == Exactness::exact && own->certain) placed_exact.push_back(map);
    placed.push_back(map);
  }
  if (only) {
    out.used = only->used;
  } else if (!placed.empty()) {
    out.used = count_image_union(placed, limits);
    if (placed_exact.size() < placed.size()) {
      out.used.lower = placed_exact.empty() ? 0 : count_image_union(placed_exact, limits).lower;
      add_reason(out.used.reason, out.reason);
    }
  }
  const Index least = std::max(out.used.lower, elsewhere.lower);
  const bool single = maps.size() == 1;
  if (!single || elsewhere.upper != Index{0}) {
    out.used = sum(out.used, elsewhere);
    out.used.lower = least;
  }
  out.used = at_most(out.used, elements);
  if (!out.used.exact() && out.used.reason.empty())
    out.used.reason = "where the elements lie depends on values known only at run time";
  if (reachable.size() == maps.size() && !single) {
    const bool fixed = placed.size() == maps.size() && placed_exact.size() == maps.size();
    out.reachable = fixed ? out.used : count_image_union(reachable, limits);
    if (out.exactness != Exactness::exact) out.reachable.lower = 0;
  }
  out.reachable = at_most(
      {std::max(out.used.lower, out.reachable.lower), out.reachable.upper, out.reachable.reason}, elements);
  if (!out.reachable.exact() && out.reachable.reason.empty()) out.reachable.reason = out.used.reason;
  const bool once = out.used.exact() && out.used == out.reads;
  out.even = out.exactness == Exactness::exact && (once || (single && plain));
  if (!out.used.exact()) add_reason(out.reason, out.used.reason);
  if (!out.reads.exact()) add_reason(out.reason, out.reads.reason);
  return out;
}

}  // namespace tessera::detail
