// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves between row-major arrays, rewritten for tensors in another layout.
#pragma once

#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/digits.h"
#include "tessera/relayout/plan.h"
#include "transfer/limits.h"

namespace tessera::transfer {

/// Appends moves that together are `move`. Source offsets of `move` are row-major numbers of the indices of
/// `cells`; those of the new moves are the offsets of these indices. Errors: limit (more than
/// kTransferLimits.cell_moves). Exact.
Result<void> from_cells(const StridedMove& move, const Digits& cells, std::vector<StridedMove>& out);

/// The same for the target.
Result<void> to_cells(const StridedMove& move, const Digits& cells, std::vector<StridedMove>& out);

}  // namespace tessera::transfer
