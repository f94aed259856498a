// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves between row-major arrays, rewritten for tensors in another layout.
#pragma once

#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/digits.h"
#include "tessera/relayout/plan.h"

namespace tessera::transfer {

/// The most moves that one move may become.
inline constexpr std::size_t kMostCellMoves = std::size_t{1} << 20;

/// Appends moves that together are `move`. Source offsets of `move` are row-major numbers of the indices of
/// `cells`; those of the new moves are the offsets of these indices. Errors: limit (more than
/// kMostCellMoves). Exact.
Result<void> from_cells(const StridedMove& move, const Digits& cells, std::vector<StridedMove>& out);

/// The same for the target.
Result<void> to_cells(const StridedMove& move, const Digits& cells, std::vector<StridedMove>& out);

}  // namespace tessera::transfer
