// SPDX-License-Identifier: Apache-2.0
/// \file
/// How often a loop reads the elements of one array.
#pragma once

#include "hlo/analysis/fused_loops.h"
#include "hlo/analysis/read_counts.h"

namespace tessera::detail {

struct LoopCounts {
  ReadCounts counts;
  /// Elements that the loop reads again for another index, except along dimensions on which the element does
  /// not depend.
  Count repeated = {};
};

/// Counts what `maps`, from the index of a loop, read of an array of at most `elements` elements. An element
/// that does not depend on the index is read once. `needed`: the indices of the loop, as in FusedLoop. Of
/// maps between replicas, which are those of collectives, the counts are those of one device's array: each
/// element that some replica needs is read once.
LoopCounts count_loop(const IndexingSet& maps, Index elements, const IndexingSet& needed,
                      const JudgeLimits& limits);

}  // namespace tessera::detail
