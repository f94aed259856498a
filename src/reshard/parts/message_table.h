// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of two distributions that meet, dimension by dimension.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reshard/parts/run_intersection.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// The indices of a dimension that one part of the source and one part of the target have in common.
struct PartMeeting {
  std::size_t target = 0;
  Index size = 0;
  std::vector<RunMeet> meets;
};

/// The meetings of each source part, ordered by target part.
using DimTable = std::vector<std::vector<PartMeeting>>;

/// The meetings of two shards, one for each dimension.
using Meetings = std::span<const PartMeeting* const>;

/// O(parts + meetings) if every part is one interval, otherwise O(pairs of parts).
DimTable meet_parts(std::span<const DimPart> source, std::span<const DimPart> target);

/// Calls visit(target shard, elements, meetings) for each target shard that meets a source shard; `meetings`
/// has one entry for each dimension.
template <class Visit>
void for_each_meeting(std::span<const DimTable> tables, std::span<const std::size_t> source_parts,
                      std::span<const std::size_t> target_parts, Visit&& visit) {
  const std::size_t rank = tables.size();
  std::vector<std::size_t> at(rank, 0);
  std::vector<const PartMeeting*> chosen(rank, nullptr);
  std::vector<std::size_t> shard(rank + 1, 0);
  std::vector<Index> size(rank + 1, 1);
  std::size_t d = 0;
  while (true) {
    if (d == rank) {
      visit(shard[d], size[d], Meetings(chosen));
      if (d == 0) return;
      --d;
      continue;
    }
    const auto& options = tables[d][source_parts[d]];
    if (at[d] == options.size()) {
      at[d] = 0;
      if (d == 0) return;
      --d;
      continue;
    }
    chosen[d] = &options[at[d]++];
    shard[d + 1] = shard[d] * target_parts[d] + chosen[d]->target;
    size[d + 1] = size[d] * chosen[d]->size;
    ++d;
  }
}

}  // namespace tessera::detail
