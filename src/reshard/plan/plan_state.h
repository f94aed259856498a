// SPDX-License-Identifier: Apache-2.0
/// \file
/// The contents of a ReshardPlan.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "reshard/plan/planned_array.h"
#include "reshard/plan/sender_shares.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {
namespace detail {

/// The number of bytes for a number of bits, rounded up.
inline Index whole_bytes(Index bits) { return ceil_div(bits, 8); }

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
