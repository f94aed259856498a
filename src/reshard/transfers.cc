// SPDX-License-Identifier: Apache-2.0
// Who sends what: demands of each source shard, shared out among its holders.
#include <algorithm>
#include <limits>

#include "reshard/plan_state.h"

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

// The demands of a shard, laid in a row; each holder takes an equal stretch. Holders first serve the places
// of their own node, as far as their share goes.
void share_out(std::vector<Demand>& demands, std::size_t source, std::span<const Index> senders,
               Index per_node, const std::function<void(const Transfer&)>& visit) {
  Index all = 0;
  for (const Demand& demand : demands) all += demand.elements;
  const Index share = ceil_div(all, static_cast<Index>(senders.size()));
  std::vector<Index> load(senders.size(), 0);
  for (std::size_t s = 0; per_node > 0 && s < senders.size(); ++s) {
    for (Demand& demand : demands) {
      if (demand.taken || demand.receiver / per_node != senders[s] / per_node ||
          load[s] + demand.elements > share) {
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
      while (load[s] >= share && s + 1 < senders.size()) ++s;
      const Index last = std::min(demand.elements, first + (share - load[s]));
      load[s] += last - first;
      visit(transfer_of(demand, source, senders[s], first, last));
      first = last;
    }
  }
}

}  // namespace

void for_each_transfer(const ReshardArray& array, const PlannedArray& planned, Index per_node,
                       const std::function<void(const Transfer&)>& visit) {
  std::vector<Demand> demands;
  for (std::size_t source = 0; source < array.from.shards(); ++source) {
    const auto senders = array.from.holders(source);
    demands.clear();
    for_each_meeting(
        planned.tables, planned.parts_of(source), planned.to_parts,
        [&](std::size_t target, Index elements, std::span<const PartMeeting* const> meetings) {
          for (const Index receiver : array.to.holders(target)) {
            if (array.from.shard_of(receiver) == source) continue;
            if (senders.size() == 1) {
              visit({source, target, senders[0], receiver, elements, 0, elements, meetings});
            } else {
              demands.push_back({target, receiver, elements, {meetings.begin(), meetings.end()}, false});
            }
          }
        });
    if (!demands.empty()) share_out(demands, source, senders, per_node, visit);
  }
}

// The Hungarian method with potentials, row by row.
std::vector<std::size_t> best_assignment(const std::vector<std::vector<Index>>& gain) {
  const std::size_t rows = gain.size();
  const std::size_t columns = rows == 0 ? 0 : gain[0].size();
  constexpr Index kFar = std::numeric_limits<Index>::max();
  std::vector<Index> row_potential(rows + 1, 0);
  std::vector<Index> column_potential(columns + 1, 0);
  std::vector<std::size_t> row_of(columns + 1, 0);  // 1-based; 0: none
  std::vector<std::size_t> previous(columns + 1, 0);
  for (std::size_t row = 1; row <= rows; ++row) {
    std::vector<Index> distance(columns + 1, kFar);
    std::vector<bool> done(columns + 1, false);
    std::size_t column = 0;
    row_of[0] = row;
    do {
      done[column] = true;
      const std::size_t at = row_of[column];
      Index least = kFar;
      std::size_t next = 0;
      for (std::size_t c = 1; c <= columns; ++c) {
        if (done[c]) continue;
        const Index reduced = -gain[at - 1][c - 1] - row_potential[at] - column_potential[c];
        if (reduced < distance[c]) {
          distance[c] = reduced;
          previous[c] = column;
        }
        if (distance[c] < least) {
          least = distance[c];
          next = c;
        }
      }
      for (std::size_t c = 0; c <= columns; ++c) {
        if (done[c]) {
          row_potential[row_of[c]] += least;
          column_potential[c] -= least;
        } else {
          distance[c] -= least;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    while (column != 0) {
      row_of[column] = row_of[previous[column]];
      column = previous[column];
    }
  }
  std::vector<std::size_t> result(rows, 0);
  for (std::size_t c = 1; c <= columns; ++c) {
    if (row_of[c] != 0) result[row_of[c] - 1] = c - 1;
  }
  return result;
}

}  // namespace tessera::detail
