// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the elements of an array lie in memory, by the definition of its layout, and what padding costs.
#pragma once

#include <map>
#include <set>

#include "hlo/analysis/padding.h"
#include "laws/hlo_reference.h"
#include "laws/run_counts.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::laws {

/// Where the elements of an array lie in its buffer.
struct Placement {
  Indices places;   ///< by row-major number of the element
  Index cells = 1;  ///< of the buffer, padding included
};
Placement placement(const TensorType& type);

/// Whether the buffers of two arrays differ, if element i of `to` is element sources[i] of `from`.
bool buffers_differ(const TensorType& from, const TensorType& to, const Indices& sources);

/// In bytes, as PaddingReport has them.
struct PaddedTotals {
  Index elements = 0;
  Index now = 0;
  Index ruled = 0;
  Index best = 0;
  friend bool operator==(const PaddedTotals&, const PaddedTotals&) = default;
};

/// The arrays that a run of `start` computes or gets as parameters, without the results of steps that are
/// written `in_place`. `best` tries all orders of the dimensions.
PaddedTotals padded_totals(const Computation& start, const std::map<const Computation*, Runs>& runs,
                           TilingRule rule, const std::set<const Instruction*>& in_place);

}  // namespace tessera::laws
