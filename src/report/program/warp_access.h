// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the warps of a plain kernel fetch from an operand.
#pragma once

#include <string>

#include "tessera/hlo/indexing.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// The reads of all warps of 32 lanes, each instruction on its own. Thread t computes element t of the result
/// in memory order, and each value of the range variables is one instruction. If that fetches less, the lanes
/// instead share each element, and thread t takes value t of a range variable, as in kernels for reductions.
struct WarpAccess {
  Index sectors = 0;  ///< sectors of 32 bytes that the instructions fetch
  Index fewest = 0;   ///< fewest sectors that could hold the bytes that each instruction reads
  /// Nonzero: the numbers are those of a sample of `sampled` instructions, spread evenly over all of them.
  Index sampled = 0;
  bool is_bound = false;    ///< the map is a superset, so the sectors are an upper bound
  bool shares = false;      ///< the lanes of a warp share each element of the result
  std::string map = {};     ///< map from (thread, values) to the index of the operand
  std::string reason = {};  ///< why nothing is known; empty if the numbers are

  bool known() const { return reason.empty(); }
  bool exact() const { return known() && sampled == 0 && !is_bound; }
  Index excess() const { return sectors - fewest; }
  /// `exact`, `bound` or `sample`.
  std::string_view exactness() const { return sampled != 0 ? "sample" : is_bound ? "bound" : "exact"; }
};

/// Counts for one map from the result to the operand, as analyze_accesses does: in closed form if the address
/// is a sum of a part for the lane and a part for the warp, one by one for up to 4096 lanes, or for a sample.
/// Unknown for results with tiles, for elements narrower than a byte, for addresses known only at run time,
/// and for other devices.
WarpAccess warp_access(const Indexing& indexing, const TensorType& result, const TensorType& operand);

}  // namespace tessera::detail
