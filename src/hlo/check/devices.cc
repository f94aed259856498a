// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/devices.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "hlo/syntax/collective_groups.h"

namespace tessera::detail {
namespace {

using Members = CollectiveGroups::Members;

// The range of the numbers that an attribute may use: [0, count).
struct AllowedNumbers {
  Index count = 0;  // 0: unknown
  std::string_view what;
  std::string source;  // the header attributes it follows from
};

// A missing header attribute means 1.
Index count_or_one(Index count) { return std::max<Index>(count, 1); }

AllowedNumbers numbers_of(Members members, const DeviceCounts& devices) {
  AllowedNumbers numbers;
  switch (members) {
    case Members::replicas:
    case Members::whole_replicas:
      numbers = {count_or_one(devices.replicas), "replica",
                 fmt::format("replica_count={}", devices.replicas)};
      break;
    case Members::partitions:
      numbers = {count_or_one(devices.partitions), "partition",
                 fmt::format("num_partitions={}", devices.partitions)};
      break;
    case Members::devices:
      if (mul_overflows(count_or_one(devices.replicas), count_or_one(devices.partitions), numbers.count))
        numbers.count = 0;
      numbers.what = "device";
      numbers.source = devices.replicas < 2     ? fmt::format("num_partitions={}", devices.partitions)
                       : devices.partitions < 2 ? fmt::format("replica_count={}", devices.replicas)
                                                : fmt::format("replica_count={}, num_partitions={}",
                                                              devices.replicas, devices.partitions);
  }
  if (numbers.count == 1) numbers.count = 0;
  return numbers;
}

DeviceCounts devices_of(const OpReader& reader) {
  const Computation* const computation = reader.instruction().parent;
  return computation == nullptr ? DeviceCounts{} : computation->devices;
}

Problem no_such(const OpReader& reader, const AllowedNumbers& numbers, Index number, Span span) {
  return reader.wrong(
      Code::index_out_of_range,
      fmt::format("{} {} is out of range: the header has {}", numbers.what, number, numbers.source), span,
      fmt::format("{}s are numbered 0 to {}", numbers.what, numbers.count - 1));
}

// Each slice has its own pairs, so sources and targets may repeat.
bool sends_slices(const OpReader& reader) { return reader.instruction().attribute("slice_sizes") != nullptr; }

}  // namespace

Problem check_groups(const OpReader& reader, const ReplicaGroups& groups, bool equal_sizes) {
  const Attribute* const attribute = reader.instruction().attribute("replica_groups");
  if (attribute == nullptr || groups.all) return std::nullopt;
  for (const auto& group : groups.groups) {
    if (group.empty()) {
      return reader.wrong(Code::bad_attribute, "a group of 'replica_groups' is empty", attribute->span,
                          "list its members or remove it; {} is one group of all");
    }
  }
  if (equal_sizes && !groups.group_size()) {
    const auto other = std::ranges::find_if(
        groups.groups, [&](const auto& group) { return group.size() != groups.groups[0].size(); });
    return reader.wrong(Code::bad_attribute,
                        fmt::format("groups have different sizes, {} and {}, but {} gives all the same shape",
                                    groups.groups[0].size(), other->size(), reader.instruction().opcode_text),
                        attribute->span,
                        "only all-reduce and collective-broadcast may have groups of different sizes");
  }
  TESSERA_READ(members, group_members(reader.instruction()));
  const AllowedNumbers numbers = numbers_of(members, devices_of(reader));
  if (numbers.count == 0) return std::nullopt;
  std::size_t nth = 0;
  for (const auto& group : groups.groups) {
    for (const Index number : group) {
      if (number >= numbers.count) return no_such(reader, numbers, number, integer_span(*attribute, nth));
      ++nth;
    }
  }
  return std::nullopt;
}

std::optional<Index> members_of_group(const OpReader& reader, const ReplicaGroups& groups) {
  const auto members = group_members(reader.instruction());
  if (!members) return std::nullopt;
  const DeviceCounts devices = devices_of(reader);
  std::optional<Index> count = groups.group_size();
  if (groups.all) {
    const AllowedNumbers numbers = numbers_of(*members, devices);
    if (numbers.count > 0) count = numbers.count;
  }
  if (!count || *members != Members::whole_replicas) return count;
  // Each member takes part with all of its partitions.
  Index all = 0;
  if (devices.partitions < 2 || mul_overflows(*count, devices.partitions, all)) return std::nullopt;
  return all;
}

std::string members_text(const OpReader& reader, Index count) {
  const auto members = group_members(reader.instruction());
  const std::string_view what = !members || *members == Members::replicas ? "replica"
                                : *members == Members::partitions         ? "partition"
                                                                          : "device";
  return plural(static_cast<std::size_t>(count), what);
}

Problem read_pairs(const OpReader& reader, std::vector<SourceTarget>& pairs) {
  TESSERA_READ(written, reader.source_target_pairs());
  pairs = std::move(written);
  const Attribute& attribute = *reader.instruction().attribute("source_target_pairs");
  const bool partitions = reader.instruction().attribute("channel_id") != nullptr;
  const AllowedNumbers numbers =
      numbers_of(partitions ? Members::partitions : Members::replicas, devices_of(reader));
  std::unordered_set<Index> sources;
  std::unordered_set<Index> targets;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (const auto& [number, nth] :
         {std::pair(pairs[i].source, 2 * i), std::pair(pairs[i].target, 2 * i + 1)}) {
      if (numbers.count > 0 && number >= numbers.count)
        return no_such(reader, numbers, number, integer_span(attribute, nth));
    }
    if (sends_slices(reader)) continue;
    if (!targets.insert(pairs[i].target).second) {
      return reader.wrong(Code::bad_attribute,
                          fmt::format("{} {} is a target twice", numbers.what, pairs[i].target),
                          integer_span(attribute, 2 * i + 1));
    }
    if (!sources.insert(pairs[i].source).second) {
      return reader.wrong(Code::bad_attribute,
                          fmt::format("{} {} is a source twice", numbers.what, pairs[i].source),
                          integer_span(attribute, 2 * i), "use collective-broadcast to send to several");
    }
  }
  return std::nullopt;
}

}  // namespace tessera::detail
