// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of one array in the dimensions of a plan.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reshard/parts/message_table.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera::detail {

/// Dimensions of both sides that form one dimension of the plan: on the source side [from_begin, from_end).
struct DimGroup {
  std::size_t from_begin = 0;
  std::size_t from_end = 0;
  std::size_t to_begin = 0;
  std::size_t to_end = 0;
};

/// The smallest groups of dimensions with the same number of indices on both sides. Requires shapes of the
/// same number of elements.
std::vector<DimGroup> groups_of(std::span<const Index> from, std::span<const Index> to);

/// The parts of dimensions [begin, end) as parts of one dimension, row-major. Errors: limit.
Result<std::vector<DimPart>> join_dims(const BoundDistribution& side, std::size_t begin, std::size_t end);

/// One array with the parts of each side in the dimensions of the plan, and the meetings of these parts.
struct PlannedArray {
  std::vector<DimGroup> groups;  ///< one for each dimension of the plan
  std::vector<std::vector<DimPart>> from;
  std::vector<std::vector<DimPart>> to;
  std::vector<DimTable> tables;
  std::vector<std::size_t> to_parts;  ///< number of target parts of each dimension

  /// The parts of a source shard.
  std::vector<std::size_t> parts_of(std::size_t shard) const;
  /// The parts of a target shard.
  std::vector<std::size_t> target_parts_of(std::size_t shard) const;
};

/// The dimensions of the plan of an array: those of both sides, or groups of dimensions that a view joins.
/// Errors: different_shape, limit.
Result<PlannedArray> planned_array(const ReshardArray& array);

/// Calls visit(source, target, elements) for each pair of shards that meet.
template <class Visit>
void for_each_pair_of_shards(const ReshardArray& array, const PlannedArray& planned, Visit&& visit) {
  for (std::size_t source = 0; source < array.from.shards(); ++source) {
    for_each_meeting(planned.tables, planned.parts_of(source), planned.to_parts,
                     [&](std::size_t target, Index elements, Meetings) { visit(source, target, elements); });
  }
}

}  // namespace tessera::detail
