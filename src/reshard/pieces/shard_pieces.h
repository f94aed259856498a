// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pieces of one shard of a stored tensor.
#pragma once

#include <vector>

#include "reshard/pieces/pieces.h"

namespace tessera {

/// Which indices of a dimension of the local array of a place belong to which piece. Without a distribution
/// every place has the whole expression. Errors: limit (more than 2^20 runs).
Result<std::vector<PieceRun>> piece_runs(const PieceTensor& tensor, Index place, std::size_t dim);

}  // namespace tessera
