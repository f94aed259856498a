// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements that move together from one buffer to another: the unit of packing, unpacking and copying.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/index_walk.h"
#include "tessera/base/index.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// A loop of `extent` iterations, with the step of one iteration in each buffer, in elements.
struct BoxLoop {
  Index extent = 1;
  Index from = 0;
  Index to = 0;
  friend bool operator==(const BoxLoop&, const BoxLoop&) = default;
};

/// The elements at `from + sum of i_k * loops[k].from` of one buffer, for all i_k below the extents. They go
/// to `to + sum of i_k * loops[k].to` of another. Loops are ordered by their step in the target, the longest
/// first, and nested there: each step exceeds the reach of the loops inside it.
struct StridedBox {
  Index from = 0;
  Index to = 0;
  std::vector<BoxLoop> loops = {};

  Index elements() const;
  /// The distance of the last element from the first, if all steps are positive.
  Index from_reach() const;
  Index to_reach() const;
  friend bool operator==(const StridedBox&, const StridedBox&) = default;
};

/// Calls visit(from, to, length) for each run of consecutive elements of a box until it returns false: the
/// offsets of the run's first element on both sides. Returns false if `visit` did.
template <class Visit>
bool for_each_run(const StridedBox& box, const Visit& visit) {
  const bool run = !box.loops.empty() && box.loops.back().from == 1 && box.loops.back().to == 1;
  const Index length = run ? box.loops.back().extent : 1;
  std::vector<Index> at(box.loops.size() - (run ? 1 : 0), 0);
  Index from = box.from;
  Index to = box.to;
  do {
    if (!visit(from, to, length)) return false;
  } while (detail::advance_last(at.size(), [&](std::size_t k) {
    const BoxLoop& loop = box.loops[k];
    const bool more = detail::next_value(at[k], 0, loop.extent);
    from += (more ? 1 : 1 - loop.extent) * loop.from;
    to += (more ? 1 : 1 - loop.extent) * loop.to;
    return more;
  }));
  return true;
}

/// Orders the loops, drops loops of one iteration, and joins loops that continue each other.
void normalize(StridedBox& box);

/// Appends boxes of the elements whose position in the target is in [begin, end). At most two boxes per loop.
/// Requires a normalized box.
void restrict_target(const StridedBox& box, Index begin, Index end, std::vector<StridedBox>& out);

/// The box of a message between local arrays with these strides.
StridedBox strided(const MessageBox& box, std::span<const Index> from_strides,
                   std::span<const Index> to_strides);

}  // namespace tessera
