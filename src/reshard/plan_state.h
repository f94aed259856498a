// SPDX-License-Identifier: Apache-2.0
/// \file
/// The contents of a ReshardPlan.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reshard/message_table.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {
namespace detail {

/// Dimensions of both sides that form one dimension of the plan: on the source side [from_begin, from_end).
struct DimGroup {
  std::size_t from_begin = 0;
  std::size_t from_end = 0;
  std::size_t to_begin = 0;
  std::size_t to_end = 0;
};

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

/// Elements that one place sends to another, out of the elements that two shards have in common: those from
/// `first` to `last` in row-major order of the meetings.
struct Transfer {
  std::size_t source = 0;
  std::size_t target = 0;
  Index from = 0;
  Index to = 0;
  Index elements = 0;
  Index first = 0;
  Index last = 0;
  Meetings meetings = {};
};

/// The dimensions of the plan of an array: those of both sides, or groups of dimensions that a view joins.
/// Errors: different_shape, limit.
Result<PlannedArray> planned_array(const ReshardArray& array);

/// The number of elements that each holder of each source shard sends. Empty if every shard has one holder.
using SenderShares = std::vector<std::vector<Index>>;

/// Distributes the elements that replicated shards send over their holders. One array: equally, which
/// minimizes the largest amount that a place sends. Several arrays: minimizes the largest amount over all of
/// them, up to one element for each set of holders. With more than 2^18 pairs of a set and a holder, treats
/// each array separately.
std::vector<SenderShares> sender_shares(std::span<const ReshardArray> arrays,
                                        std::span<const PlannedArray> planned);

/// Calls visit(transfer) for all elements that places need but do not have.
void for_each_transfer(const ReshardArray& array, const PlannedArray& planned, const SenderShares& shares,
                       Index per_node, const std::function<void(const Transfer&)>& visit);

/// Appends one box for each choice of an entry from every list. Returns false, and appends none, if there
/// would be more than kMostBoxes boxes.
bool add_boxes(std::span<const std::span<const RunMeet>> dims, std::vector<MessageBox>& out);

/// The number of bytes for a number of bits, rounded up.
inline Index bytes_of(Index bits) { return ceil_div(bits, 8); }

/// Calls visit(source, target, elements) for each pair of shards that meet.
template <class Visit>
void for_each_pair_of_shards(const ReshardArray& array, const PlannedArray& planned, Visit&& visit) {
  for (std::size_t source = 0; source < array.from.shards(); ++source) {
    for_each_meeting(planned.tables, planned.parts_of(source), planned.to_parts,
                     [&](std::size_t target, Index elements, Meetings) { visit(source, target, elements); });
  }
}

/// The best places for the parts of the target: part j goes to result[j]. `gain[j][p]` is what part j saves
/// at place p. Requires at least as many columns as rows. O(rows^2 * columns).
std::vector<std::size_t> best_assignment(const std::vector<std::vector<Index>>& gain);

/// Reassigns the parts of the target to places, so that less moves. Errors: limit.
Result<void> relabel(ReshardPlan::State& state, Relabel how);

/// Requires that the state has nodes.
NodeBytes node_bytes(const ReshardPlan::State& state);

}  // namespace detail

struct ReshardPlan::State {
  std::vector<ReshardArray> arrays;
  std::vector<detail::PlannedArray> planned;
  std::vector<detail::SenderShares> shares;  // one for each array
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
