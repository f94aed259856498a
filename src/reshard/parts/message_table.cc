// SPDX-License-Identifier: Apache-2.0
#include "reshard/parts/message_table.h"

#include <algorithm>
#include <numeric>

namespace tessera::detail {
namespace {

bool are_intervals(std::span<const DimPart> parts) {
  return std::ranges::all_of(parts, [](const DimPart& part) {
    return part.runs.empty() || (part.runs.size() == 1 && part.runs[0].count == 1);
  });
}

std::vector<std::size_t> by_first_index(std::span<const DimPart> parts) {
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].runs.empty()) order.push_back(p);
  }
  std::ranges::sort(order, {}, [&](std::size_t p) { return parts[p].runs[0].lower; });
  return order;
}

void add(DimTable& table, std::size_t s, std::size_t t, const DimPart& source, const DimPart& target) {
  PartMeeting meeting{t, 0, intersect(source, target)};
  for (const RunMeet& meet : meeting.meets) meeting.size += meet.size();
  if (meeting.size > 0) table[s].push_back(std::move(meeting));
}

// If the parts of each side are disjoint intervals: sweeps over both sides in order.
void sweep(std::span<const DimPart> source, std::span<const DimPart> target, DimTable& table) {
  const std::vector<std::size_t> s = by_first_index(source);
  const std::vector<std::size_t> t = by_first_index(target);
  const auto end = [](const DimPart& part) { return part.runs[0].lower + part.runs[0].length; };
  for (std::size_t i = 0, j = 0; i < s.size() && j < t.size();) {
    add(table, s[i], t[j], source[s[i]], target[t[j]]);
    if (end(source[s[i]]) <= end(target[t[j]])) {
      ++i;
    } else {
      ++j;
    }
  }
  for (auto& meetings : table) std::ranges::sort(meetings, {}, &PartMeeting::target);
}

}  // namespace

DimTable meet_parts(std::span<const DimPart> source, std::span<const DimPart> target) {
  DimTable table(source.size());
  if (are_intervals(source) && are_intervals(target)) {
    sweep(source, target, table);
    return table;
  }
  for (std::size_t s = 0; s < source.size(); ++s) {
    for (std::size_t t = 0; t < target.size(); ++t) add(table, s, t, source[s], target[t]);
  }
  return table;
}

}  // namespace tessera::detail
