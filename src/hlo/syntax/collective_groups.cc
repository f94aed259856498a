// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/collective_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "hlo/limits.h"
#include "hlo/syntax/attributes.h"
#include "tessera/hlo/module.h"

namespace tessera {

struct CollectiveGroups::State {
  Members members;
  ReplicaGroups groups;  // in the order of their first members
  std::optional<Index> size;
  std::string text;
};

namespace {

using Members = CollectiveGroups::Members;

// The number of replicas; 0: unknown.
Index member_count(Members members, const DeviceCounts& devices) {
  Index count = 0;
  switch (members) {
    case Members::replicas:
    case Members::whole_replicas:
      return devices.replicas;
    case Members::partitions:
      return devices.partitions;
    case Members::devices:
      return mul_overflows(devices.replicas, devices.partitions, count) ? 0 : count;
  }
  return 0;
}

std::optional<Index> positions(Members members, const ReplicaGroups& groups, const DeviceCounts& devices) {
  if (groups.all) return std::nullopt;
  Index most = 0;
  for (const auto& group : groups.groups) most = std::max(most, static_cast<Index>(group.size()));
  if (members != Members::whole_replicas) return most;
  if (devices.partitions < 1 || mul_overflows(most, devices.partitions, most)) return std::nullopt;
  return most;
}

// The text without blanks and line breaks.
std::string on_one_line(std::string_view written) {
  std::string out;
  for (const char c : written) {
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') out += c;
  }
  return out;
}

}  // namespace

namespace detail {

Result<CollectiveGroups::Members> group_members(const Instruction& op) {
  if (op.attribute("channel_id") == nullptr) return Members::replicas;
  const auto collective = collective_of(op.opcode);
  if (collective != Collective::all_reduce && collective != Collective::all_gather &&
      collective != Collective::reduce_scatter)
    return Members::partitions;
  const auto global = bool_of(op, "use_global_device_ids", false);
  if (!global) return Failure(global.error());
  return *global ? Members::devices : Members::whole_replicas;
}

}  // namespace detail

Result<CollectiveGroups> CollectiveGroups::of(const Instruction& collective) {
  auto groups = replica_groups_of(collective);
  if (!groups) return Failure(groups.error());
  const auto members = detail::group_members(collective);
  if (!members) return Failure(members.error());
  return of(collective, *std::move(groups), *members);
}

CollectiveGroups CollectiveGroups::of(const Instruction& collective, ReplicaGroups groups, Members members) {
  const DeviceCounts devices = collective.parent != nullptr ? collective.parent->devices : DeviceCounts{};
  const Index count = member_count(members, devices);
  if (groups.all && count > 0 && count <= detail::kHloLimits.syntax.listed_replicas) {
    groups.all = false;
    auto& everyone = groups.groups.emplace_back(static_cast<std::size_t>(count));
    std::iota(everyone.begin(), everyone.end(), Index{0});
  }
  std::ranges::sort(groups.groups);
  const Attribute* const written = collective.attribute("replica_groups");
  State state{members, std::move(groups), {}, written == nullptr ? "{}" : on_one_line(written->value)};
  state.size = positions(state.members, state.groups, devices);
  CollectiveGroups out;
  out.state_ = std::make_shared<const State>(std::move(state));
  return out;
}

Members CollectiveGroups::members() const { return state_->members; }
const ReplicaGroups& CollectiveGroups::groups() const { return state_->groups; }
std::optional<Index> CollectiveGroups::size() const { return state_->size; }
std::string_view CollectiveGroups::text() const { return state_->text; }

bool operator==(const CollectiveGroups& a, const CollectiveGroups& b) {
  if (a.state_ == b.state_) return true;
  if (!a.exist() || !b.exist()) return false;
  return a.members() == b.members() && a.size() == b.size() && a.groups() == b.groups();
}

}  // namespace tessera
