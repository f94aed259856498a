// SPDX-License-Identifier: Apache-2.0
// Decides which holders send: distributes the demands of each source shard over its holders.
#include "reshard/plan/transfers.h"

#include <algorithm>
#include <limits>

#include "reshard/plan/planned_array.h"
#include "reshard/plan/sender_shares.h"

namespace tessera::detail {
namespace {

struct Demand {
  std::size_t target = 0;
  Index receiver = 0;
  Index elements = 0;
  std::vector<const PartMeeting*> meetings;
  bool taken = false;
};

Transfer transfer_of(const Demand& demand, std::size_t source, Index sender, Index first, Index last) {
  return {.source = source,
          .target = demand.target,
          .from = sender,
          .to = demand.receiver,
          .elements = last - first,
          .first = first,
          .last = last,
          .meetings = demand.meetings};
}

// Lines up the demands of a shard in a row; each holder takes a contiguous part as large as its share.
// Holders first serve the places of their own node, as far as their shares allow.
void share_out(std::vector<Demand>& demands, std::size_t source, std::span<const Index> senders,
               std::span<const Index> share, Index per_node,
               const std::function<void(const Transfer&)>& visit) {
  std::vector<Index> load(senders.size(), 0);
  for (std::size_t s = 0; per_node > 0 && s < senders.size(); ++s) {
    for (Demand& demand : demands) {
      if (demand.taken || demand.receiver / per_node != senders[s] / per_node ||
          load[s] + demand.elements > share[s]) {
        continue;
      }
      demand.taken = true;
      load[s] += demand.elements;
      visit(transfer_of(demand, source, senders[s], 0, demand.elements));
    }
  }
  std::size_t s = 0;
  for (const Demand& demand : demands) {
    if (demand.taken) continue;
    for (Index first = 0; first < demand.elements;) {
      while (load[s] >= share[s] && s + 1 < senders.size()) ++s;
      const Index last = std::min(demand.elements, first + (share[s] - load[s]));
      load[s] += last - first;
      visit(transfer_of(demand, source, senders[s], first, last));
      first = last;
    }
  }
}

}  // namespace

void for_each_transfer(const ReshardArray& array, const PlannedArray& planned, const SenderShares& shares,
                       Index per_node, const std::function<void(const Transfer&)>& visit) {
  std::vector<Demand> demands;
  for (std::size_t source = 0; source < array.from.shards(); ++source) {
    const auto senders = array.from.holders(source);
    demands.clear();
    for_each_meeting(
        planned.tables, planned.parts_of(source), planned.to_parts,
        [&](std::size_t target, Index elements, Meetings meetings) {
          for (const Index receiver : array.to.holders(target)) {
            if (array.from.shard_of(receiver) == source) continue;
            if (senders.size() == 1) {
              visit({source, target, senders[0], receiver, elements, 0, elements, meetings});
            } else {
              demands.push_back({target, receiver, elements, {meetings.begin(), meetings.end()}, false});
            }
          }
        });
    if (!demands.empty()) share_out(demands, source, senders, shares[source], per_node, visit);
  }
}

}  // namespace tessera::detail
