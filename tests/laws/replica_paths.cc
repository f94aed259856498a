// SPDX-License-Identifier: Apache-2.0
#include "laws/replica_paths.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace tessera::laws {
namespace {

using Visit = std::function<void(const Indices&, Index, const Indices&)>;

class Path {
 public:
  Path(const Indexing& x, std::span<const Values> values, const Visit& visit)
      : x_(x), values_(values), visit_(visit), first_runtime_(x.map.variables().size() - x.runtime.size()) {}

  // `point` has the variables of the map. A runtime variable is known from the hop after which it is read.
  void from_hop(std::size_t hop, Index replica, Indices point) const {
    for (std::size_t i = 0; i < x_.runtime.size(); ++i) {
      const RuntimeValue& runtime = x_.runtime[i];
      if (runtime.hops != hop) continue;
      const Index value =
          runtime.source != nullptr ? element(runtime, replica, point) : position(runtime.groups, replica);
      if (value == kNowhere) return;
      point[first_runtime_ + i] = std::clamp(value, runtime.clamp.lower, runtime.clamp.upper);
    }
    if (hop < x_.replica.size()) return along(x_.replica[hop], hop, replica, point);
    if (!x_.map.domain().contains(point)) return;
    const auto dims = static_cast<std::ptrdiff_t>(x_.map.dim_count());
    visit_(Indices(point.begin(), point.begin() + dims), replica, x_.map.evaluate(point).value());
  }

 private:
  static constexpr Index kNowhere = -1000000;

  static std::span<const Index> variables_of(const IndexMap& map, const Indices& point) {
    return std::span(point).first(map.variables().size());
  }

  Index element(const RuntimeValue& runtime, Index replica, const Indices& point) const {
    const auto where = runtime.map.evaluate(variables_of(runtime.map, point));
    TESSERA_CHECK(where.has_value(), "runtime maps have values");
    const auto number = number_of(runtime.source->type.dims(), *where);
    return values_[static_cast<std::size_t>(replica)].at(runtime.source)[static_cast<std::size_t>(number)];
  }

  // The group of a replica. Empty for a replica without a group.
  static Indices group_of(const CollectiveGroups& groups, Index replica) {
    TESSERA_CHECK(groups.exist() && groups.members() == CollectiveGroups::Members::replicas,
                  "the tests support only replicas");
    for (const auto& group : groups.groups().groups) {
      if (std::ranges::find(group, replica) != group.end()) return group;
    }
    return {};
  }

  static Index position(const CollectiveGroups& groups, Index replica) {
    const Indices group = group_of(groups, replica);
    const auto at = std::ranges::find(group, replica);
    return at == group.end() ? kNowhere : at - group.begin();
  }

  void along(const ReplicaHop& hop, std::size_t number, Index replica, const Indices& point) const {
    const auto at = [&](const Indices& start) {
      const Index found = hop.map.evaluate(start).value()[0];
      if (!hop.groups.exist()) return from_hop(number + 1, found, point);
      const Indices group = group_of(hop.groups, replica);
      if (found < 0 || found >= static_cast<Index>(group.size())) return;
      from_hop(number + 1, group[static_cast<std::size_t>(found)], point);
    };
    switch (hop.from) {
      case ReplicaHop::From::group: {
        const Interval positions = hop.map.variables()[0].bounds;
        for (Index p = positions.lower; p <= positions.upper; ++p) at({p});
        return;
      }
      case ReplicaHop::From::element: {
        // Some variables are known only after later hops. The start index is enough here, because the hop's
        // map has the same domain.
        const auto start = variables_of(hop.map, point);
        return at(Indices(start.begin(), start.end()));
      }
      default:
        if (hop.map.domain().contains(Indices{replica})) at({replica});
    }
  }

  const Indexing& x_;
  std::span<const Values> values_;
  const Visit& visit_;
  std::size_t first_runtime_;
};

}  // namespace

void for_each_read(const Indexing& indexing, std::span<const Values> values, Index own, const Visit& visit) {
  const IndexMap& map = indexing.map;
  if (map.known_empty()) return;
  const Path path(indexing, values, visit);
  const std::size_t count = map.dim_count() + map.range_count();
  Indices extents;
  for (std::size_t i = 0; i < count; ++i) {
    const Interval bounds = map.variables()[i].bounds;
    extents.push_back(bounds.upper - bounds.lower + 1);
  }
  for_each_index(extents, [&](const Indices& offset) {
    Indices point(map.variables().size(), 0);
    for (std::size_t i = 0; i < count; ++i) point[i] = map.variables()[i].bounds.lower + offset[i];
    path.from_hop(0, own, std::move(point));
  });
}

}  // namespace tessera::laws
