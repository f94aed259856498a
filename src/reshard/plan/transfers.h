// SPDX-License-Identifier: Apache-2.0
/// \file
/// The transfers of one array.
#pragma once

#include <cstddef>
#include <functional>

#include "reshard/plan/planned_array.h"
#include "reshard/plan/sender_shares.h"

namespace tessera::detail {

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

/// Calls visit(transfer) for all elements that places need but do not have.
void for_each_transfer(const ReshardArray& array, const PlannedArray& planned, const SenderShares& shares,
                       Index per_node, const std::function<void(const Transfer&)>& visit);

}  // namespace tessera::detail
