// SPDX-License-Identifier: Apache-2.0
/// \file
/// The elements that each holder of a shard sends.
#pragma once

#include <span>
#include <vector>

#include "reshard/plan/planned_array.h"

namespace tessera::detail {

/// The number of elements that each holder of each source shard sends. Empty if every shard has one holder.
using SenderShares = std::vector<std::vector<Index>>;

/// Distributes the elements that replicated shards send over their holders. One array: equally, which
/// minimizes the largest amount that a place sends. Several arrays: minimizes the largest amount over all of
/// them, up to one element for each set of holders. With more than 2^18 pairs of a set and a holder, treats
/// each array separately.
std::vector<SenderShares> sender_shares(std::span<const ReshardArray> arrays,
                                        std::span<const PlannedArray> planned);

}  // namespace tessera::detail
