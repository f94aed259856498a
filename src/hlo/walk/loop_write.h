// SPDX-License-Identifier: Apache-2.0
/// \file
/// The box that an iteration of a loop writes into an array that it otherwise passes on.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hlo/walk/counted_loop.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// Iteration t overwrites the box [start_i, start_i + sizes[i]) in each dimension i, with start_i =
/// starts[i].first + starts[i].step * t, inside the array in every iteration.
struct LoopWrite {
  std::vector<Index> sizes;
  std::vector<LoopCounter> starts;

  /// A dimension along which the boxes are disjoint, so that no element is written twice; empty if boxes may
  /// overlap. For a loop of one iteration, any dimension.
  std::optional<std::size_t> apart(Index trips) const;
};

/// The elements that the first n of `trips` iterations do not overwrite, as exact maps from (n, index) to the
/// index; the last n if `forward`. Empty if boxes move along several dimensions, or overlap. `timeline` has
/// the dimensions of the maps.
std::optional<IndexingSet> untouched(const LoopWrite& write, const Domain& timeline, Index trips,
                                     bool forward);

}  // namespace tessera::detail
