// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributes the demands of sets of holders so that the busiest place sends as little as possible.
#pragma once

#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// The amount that the places of a set must send together. Every place has all of the data.
struct ShareGroup {
  std::vector<Index> places;
  Index demand = 0;
};

/// The amounts that each place of each group sends, chosen so that the largest total of a place is minimal.
/// `fixed` is what each place sends in addition. Bisection over a maximum flow.
std::vector<std::vector<Index>> least_shares(const std::vector<ShareGroup>& groups,
                                             const std::vector<Index>& fixed);

}  // namespace tessera::detail
