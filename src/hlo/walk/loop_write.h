// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loops that overwrite a box of an array in each iteration.
#pragma once

#include <optional>
#include <vector>

#include "hlo/walk/counted_loop.h"
#include "tessera/map/index_map.h"

namespace tessera::detail {

/// Iteration t overwrites the box that covers [start_i, start_i + sizes[i]) in dimension i, where start_i =
/// starts[i].first + starts[i].step * t. The box is inside the array in every iteration.
struct LoopWrite {
  std::vector<Index> sizes;
  std::vector<LoopCounter> starts;

  /// The dimension in which the boxes of all iterations are disjoint, so that no element is written twice.
  /// Empty if there is none. Any dimension for a loop of at most one iteration.
  std::optional<std::size_t> apart(Index trips) const;
};

/// Whether `untouched` has an answer: the boxes are disjoint and move along at most one dimension.
bool can_tell_untouched(const LoopWrite& write, Index trips);

/// The indices that no iteration between two states overwrites, as parts of `states`. Its dimensions are the
/// number of a state (variable 0) and the index; the other state has the number `end`. States are numbered
/// from the first one or, if `forward`, backward from the last. Requires `can_tell_untouched`.
std::vector<Domain> untouched(const LoopWrite& write, const Domain& states, Expr end, Index trips,
                              bool forward);

}  // namespace tessera::detail
