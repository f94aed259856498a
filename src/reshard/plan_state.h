// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a ReshardPlan holds.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "reshard/message_table.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {
namespace detail {

/// One array with the parts of each side in the dimensions of the plan, and which of them meet.
struct PlannedArray {
  std::vector<std::vector<DimPart>> from;
  std::vector<std::vector<DimPart>> to;
  std::vector<DimTable> tables;
  std::vector<std::size_t> to_parts;  ///< number of target parts of each dimension

  /// The parts of a source shard.
  std::vector<std::size_t> parts_of(std::size_t shard) const;
};

/// What one place sends another of the elements that two shards have in common: those from `first` to `last`
/// in row-major order of the meetings.
struct Transfer {
  std::size_t source = 0;
  std::size_t target = 0;
  Index from = 0;
  Index to = 0;
  Index elements = 0;
  Index first = 0;
  Index last = 0;
  std::span<const PartMeeting* const> meetings = {};
};

/// The dimensions of the plan of an array: those of both sides, or groups of them that a view joins.
/// Errors: different_shape, limit.
Result<PlannedArray> planned_array(const ReshardArray& array);

/// Calls visit(transfer) for everything that places lack. The demands of a shard with several holders are
/// shared out among them equally, to the element.
void for_each_transfer(const ReshardArray& array, const PlannedArray& planned, Index per_node,
                       const std::function<void(const Transfer&)>& visit);

/// The best places for the parts of the target: part j goes to result[j]. `gain[j][p]`: what part j saves at
/// place p. As many columns as rows, or more. O(rows^2 * columns).
std::vector<std::size_t> best_assignment(const std::vector<std::vector<Index>>& gain);

}  // namespace detail

struct ReshardPlan::State {
  std::vector<ReshardArray> arrays;
  std::vector<detail::PlannedArray> planned;
  Index places = 0;
  Index per_node = 0;
  std::vector<Index> receive;
  std::vector<Index> send;
  Index total = 0;
  Index kept = 0;
  Index full_gather = 0;
  std::vector<PairBytes> pairs;
  std::optional<NodeBytes> nodes;
  std::vector<std::pair<Index, Index>> relabeled;
};

}  // namespace tessera
