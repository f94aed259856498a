// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indices of a part as a box, each dimension of which is a chain of runs.
#pragma once

#include <optional>
#include <vector>

#include "notation/index_runs.h"
#include "relayout/index_range.h"
#include "relayout/part_moves.h"

namespace tessera::moving {

/// The indices one part copies.
struct PartBox {
  std::vector<IndexRange> ranges;  ///< of each dimension
  /// Runs of a dimension are consecutive, lowest first; the group of a run is the mover that takes its
  /// values.
  std::vector<detail::IndexRun> runs;
};

/// The box of the moves, recognized if one mover takes each value of a run and a mover takes each
/// combination of its runs once; otherwise nothing.
std::optional<PartBox> box_of(const PartMoves& moves, const Sides& sides);

}  // namespace tessera::moving
