// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the first warp of a kernel fetches from an operand.
#pragma once

#include <optional>
#include <string>

#include "tessera/hlo/indexing.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// The first read of the first warp. Lane l computes element l of the result in memory order, and every range
/// variable has its first value. If it fetches less, all lanes instead compute the first element, and lane l
/// takes value l of a range variable, as in kernels for reductions.
struct WarpAccess {
  Index sectors = 0;        ///< sectors of 32 bytes that are fetched
  Index fewest = 0;         ///< fewest sectors that could hold the bytes that are read
  std::string map = {};     ///< map from the lane to the index of the operand
  std::string reason = {};  ///< why nothing is known; empty if the numbers are exact

  bool known() const { return reason.empty(); }
  Index excess() const { return sectors - fewest; }
};

/// Counts for one map from the result to the operand. Unknown for results with tiles, for elements narrower
/// than a byte, for addresses known only at run time, and for other devices. O(lanes * ranges).
WarpAccess first_warp(const Indexing& indexing, const TensorType& result, const TensorType& operand);

}  // namespace tessera::detail
