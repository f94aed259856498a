// SPDX-License-Identifier: Apache-2.0
#include "map/image/image_union.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "base/modular.h"
#include "expr/limits.h"
#include "map/values/components.h"
#include "map/values/enumerate.h"
#include "map/values/progression.h"
#include "map/values/value_set.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

using Wide = __int128;

// The values of each result, which do not depend on the other results.
using ProgressionBox = std::vector<Progression>;

struct Member {
  IndexMap map;  // over dimensions only, simplified
  Count count;
  std::vector<Interval> around;            // contains each result
  std::optional<ProgressionBox> box = {};  // the values, if they are evenly spaced
};

std::optional<ProgressionBox> progression_box(const IndexMap& map) {
  ProgressionBox box(map.results().size());
  for (const Component& part : components(map, true)) {
    const bool constants = part.map.variables().empty();
    if (!part.map.constraints().empty() || (part.results.size() > 1 && !constants)) return std::nullopt;
    for (std::size_t r = 0; r < part.results.size(); ++r) {
      const auto values = progression(part.map.results()[r], box_of(part.map.domain()));
      if (!values) return std::nullopt;
      box[part.results[r]] = *values;
    }
  }
  return box;
}

Wide end_of_values(const Progression& p) { return p.first + Wide{p.step} * p.last; }

// The values that both progressions have. Steps are at most the extent of an array.
std::optional<Progression> common(const Progression& a, const Progression& b, bool& too_far) {
  if (a.step == 0 || b.step == 0) {
    const Progression& one = a.step == 0 ? a : b;
    const Progression& other = a.step == 0 ? b : a;
    const Wide apart = Wide{one.first} - other.first;
    const bool inside = apart >= 0 && one.first <= end_of_values(other) &&
                        (other.step == 0 ? apart == 0 : apart % other.step == 0);
    return inside ? std::optional(one) : std::nullopt;
  }
  // a.first + i * a.step = b.first (mod b.step).
  const Wide apart = Wide{b.first} - a.first;
  const Index gcd = std::gcd(a.step, b.step);
  if (apart % gcd != 0) return std::nullopt;
  const Index turn = b.step / gcd;
  Wide i = (apart / gcd % turn) * modular_inverse(a.step / gcd, turn) % turn;
  if (i < 0) i += turn;
  const Wide step = Wide{a.step} * turn;
  Wide first = a.first + i * a.step;
  const Wide lower = std::max(a.first, b.first);
  if (first < lower) first += (lower - first + step - 1) / step * step;
  const Wide last = std::min(end_of_values(a), end_of_values(b));
  if (first > last) return std::nullopt;
  const Wide more = (last - first) / step;
  // Two values so far apart that no step leads from one to the other.
  too_far = too_far || (more > 0 && step > kIndexMax);
  return Progression{static_cast<Index>(first), more == 0 ? 0 : static_cast<Index>(step),
                     static_cast<Index>(more)};
}

// Inclusion and exclusion: adds and subtracts the sizes of all nonempty intersections.
class Overlaps {
 public:
  explicit Overlaps(std::vector<const ProgressionBox*> boxes) : boxes_(std::move(boxes)) {}

  std::optional<Index> count() {
    for (std::size_t i = 0; i < boxes_.size(); ++i) add(*boxes_[i], i + 1, 1);
    if (steps_ > kLimits.intersections || too_far_ || total_ > kIndexMax) return std::nullopt;
    return static_cast<Index>(total_);
  }

 private:
  void add(const ProgressionBox& box, std::size_t next, int sign) {
    if (++steps_ > kLimits.intersections) return;
    Wide points = 1;
    for (const Progression& p : box) points *= Wide{p.last} + 1;
    total_ += sign * points;
    for (std::size_t i = next; i < boxes_.size(); ++i) {
      ProgressionBox both;
      for (std::size_t r = 0; r < box.size(); ++r) {
        const auto shared = common(box[r], (*boxes_[i])[r], too_far_);
        if (!shared) break;
        both.push_back(*shared);
      }
      if (both.size() == box.size()) add(both, i + 1, -sign);
    }
  }

  std::vector<const ProgressionBox*> boxes_;
  Wide total_ = 0;
  std::size_t steps_ = 0;
  bool too_far_ = false;  // an intersection has a step beyond 64 bits
};

std::optional<Index> enumerated_union(std::span<const Member* const> members, const JudgeLimits& limits) {
  Index points = 0;
  std::vector<Interval> box = members[0]->around;
  for (const Member* member : members) {
    const auto own = point_count(box_of(member->map.domain()));
    if (!own || !can_enumerate(member->map, limits, false) || add_overflows(points, *own, points))
      return std::nullopt;
    for (std::size_t r = 0; r < box.size(); ++r) box[r] = hull(box[r], member->around[r]);
  }
  const auto cells = point_count(box);
  const bool listed = !cells || *cells > limits.cells;
  if (points > (listed ? limits.points : static_cast<Index>(limits.steps / 16))) return std::nullopt;
  ValueSet values(box, limits.cells);
  std::vector<Index> tuple(box.size());
  for (const Member* member : members) {
    for_each_point(member->map, box_of(member->map.domain()), [&](const WalkedPoint& point) {
      for (std::size_t r = 0; r < tuple.size(); ++r) {
        if (!point.defined(r)) return true;
        tuple[r] = point.value(r);
      }
      values.insert(tuple);
      return true;
    });
  }
  return cancelled() ? std::nullopt : std::optional(values.size());
}

// Counts the values of maps that may overlap.
Count count_group(std::span<const Member* const> members, const JudgeLimits& limits) {
  if (members.size() == 1) return members[0]->count;
  Count out{0, 0};
  std::vector<Interval> around = members[0]->around;
  std::vector<const ProgressionBox*> boxes;
  for (const Member* member : members) {
    const Index least = std::max(out.lower, member->count.lower);
    out = sum(out, member->count);
    out.lower = least;
    for (std::size_t r = 0; r < around.size(); ++r) around[r] = hull(around[r], member->around[r]);
    if (member->box) boxes.push_back(&*member->box);
  }
  const auto cells = point_count(around);
  if (cells && (!out.upper || *cells < *out.upper)) out.upper = cells;
  if (out.exact()) return {out.lower, out.lower};
  std::optional<Index> exact;
  if (boxes.size() == members.size()) exact = Overlaps(std::move(boxes)).count();
  if (!exact) exact = enumerated_union(members, limits);
  if (exact) return {*exact, exact};
  if (out.reason.empty()) out.reason = enumeration_limit(limits);
  return out;
}

bool overlap(const Member& a, const Member& b) {
  for (std::size_t r = 0; r < a.around.size(); ++r) {
    if (!intersect(a.around[r], b.around[r])) return false;
  }
  return true;
}

}  // namespace

Count sum(const Count& a, const Count& b) {
  Count out{checked_add(a.lower, b.lower).value_or(kIndexMax), std::nullopt,
            a.reason.empty() ? b.reason : a.reason};
  if (a.upper && b.upper) out.upper = checked_add(*a.upper, *b.upper);
  if (!out.exact() && out.reason.empty()) out.reason = "the number exceeds 64 bits";
  return out;
}

Count count_image_union(std::span<const IndexMap> maps, const JudgeLimits& limits) {
  std::vector<Member> members;
  for (const IndexMap& map : maps) {
    Member member{
        .map = simplify(remove_unused_vars(simplify(symbols_to_dims(map))).map), .count = {}, .around = {}};
    if (member.map.known_empty()) continue;
    if (std::ranges::any_of(members, [&](const Member& other) { return other.map == member.map; })) continue;
    member.count = count_image(member.map, limits);
    if (member.count.upper == Index{0}) continue;
    for (const Expr e : member.map.results()) member.around.push_back(range(e, member.map.domain()));
    member.box = progression_box(member.map);
    members.push_back(std::move(member));
  }
  if (members.empty()) return {0, 0};

  // Groups members whose boxes overlap, directly or through other members.
  std::vector<std::size_t> leader(members.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (overlap(members[i], members[k])) leader[find(i)] = find(k);
    }
  }
  Count total{0, 0};
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (leader[i] != i) continue;
    std::vector<const Member*> group;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (find(k) == i) group.push_back(&members[k]);
    }
    total = sum(total, count_group(group, limits));
  }
  return total;
}

}  // namespace tessera::detail
