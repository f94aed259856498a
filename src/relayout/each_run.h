// SPDX-License-Identifier: Apache-2.0
/// \file
/// Visits the runs of a move.
#pragma once

#include <vector>

#include "base/index_walk.h"
#include "tessera/relayout/plan.h"

namespace tessera {

/// Calls visit(from, to, length) for each run of consecutive elements of a move until it returns false: the
/// offsets of the run's first element on both sides. Returns false if `visit` did.
template <class Visit>
bool for_each_run(const StridedMove& move, const Visit& visit) {
  const bool run = !move.loops.empty() && move.loops.back().from == 1 && move.loops.back().to == 1;
  const Index length = run ? move.loops.back().extent : 1;
  std::vector<Index> at(move.loops.size() - (run ? 1 : 0), 0);
  Index from = move.from;
  Index to = move.to;
  do {
    if (!visit(from, to, length)) return false;
  } while (detail::advance_last(at.size(), [&](std::size_t k) {
    const StridedLoop& loop = move.loops[k];
    const bool more = detail::next_value(at[k], 0, loop.extent);
    from += (more ? 1 : 1 - loop.extent) * loop.from;
    to += (more ? 1 : 1 - loop.extent) * loop.to;
    return more;
  }));
  return true;
}

}  // namespace tessera
