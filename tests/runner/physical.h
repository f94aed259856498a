// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts between logical and physical indices, for layouts without tiles.
#pragma once

#include "tessera/base/result.h"
#include "tessera/hlo/indexing.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::vectors {

/// Logical index to the offset of the element: the sum of d_i * stride_i. `f32[4,8]{0,1}` is
/// `(d0, d1) -> (d1 * 4 + d0)`. Errors: not_representable (`tiles`) for a tiled layout, undefined_value for
/// an unbounded dimension, overflow if the element count does not fit in 64 bits.
Result<IndexMap> to_linear(const TensorType& type);

/// Rewrites an indexing between logical indices as one between physical indices. `from` and `to` are the
/// types of the values at the start and at the end of the map. Errors: the first two of those above.
Result<IndexingSet> in_physical_form(const IndexingSet& logical, const TensorType& from,
                                     const TensorType& to);

}  // namespace tessera::vectors
