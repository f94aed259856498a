// SPDX-License-Identifier: Apache-2.0
/// \file
/// The box that an iteration of a loop writes into an array that it otherwise passes on.
#pragma once

#include <optional>
#include <vector>

#include "hlo/walk/counted_loop.h"
#include "tessera/map/domain.h"

namespace tessera::detail {

/// Iteration t overwrites the box [start_i, start_i + sizes[i]) in each dimension i, with start_i =
/// starts[i].first + starts[i].step * t, inside the array in every iteration.
struct LoopWrite {
  std::vector<Index> sizes;
  std::vector<LoopCounter> starts;

  /// The dimension along which the boxes move apart, so that no element is written twice; empty if some may
  /// be. For a loop of one iteration, any dimension.
  std::optional<std::size_t> apart(Index trips) const;
};

/// The boxes move along one dimension at most, and no element is written twice.
bool can_tell_untouched(const LoopWrite& write, Index trips);

/// Where the iterations between the state with number `end` and the one with number `variable 0` overwrite
/// nothing: the parts of `states`, whose dimensions are the number of a state and an index. A state is
/// numbered by its distance from the first one or, if `forward`, from the last. Requires
/// `can_tell_untouched`.
std::vector<Domain> untouched(const LoopWrite& write, const Domain& states, Expr end, Index trips,
                              bool forward);

}  // namespace tessera::detail
