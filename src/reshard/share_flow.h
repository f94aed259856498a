// SPDX-License-Identifier: Apache-2.0
/// \file
/// Demands of sets of holders, shared out so that the busiest place sends as little as possible.
#pragma once

#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// What the places of a set have to send together. Every place has all of it.
struct ShareGroup {
  std::vector<Index> places;
  Index demand = 0;
};

/// How much each place of each group sends, so that the largest sum of a place is the least possible.
/// `fixed`: what each place sends besides. By bisection over a maximum flow.
std::vector<std::vector<Index>> least_shares(const std::vector<ShareGroup>& groups,
                                             const std::vector<Index>& fixed);

}  // namespace tessera::detail
