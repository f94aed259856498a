// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts between logical and physical indices, for layouts without tiles.
#pragma once

#include "tessera/base/result.h"
#include "tessera/hlo/indexing.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// Logical to physical index: dimensions in the reverse order of `minor_to_major`, slowest first.
/// `f32[10,20,30]{1,0,2}` is `(d0, d1, d2) -> (d2, d0, d1)`. Rank 0: `() -> ()`. Errors: not_representable
/// (`tiles`) for a tiled layout, undefined_value for an unbounded dimension.
Result<IndexMap> logical_to_physical(const TensorType& type);

/// The inverse of `logical_to_physical`; its dimensions have the physical extents. Same errors.
Result<IndexMap> physical_to_logical(const TensorType& type);

/// Logical index to the offset of the element: the sum of d_i * stride_i. `f32[4,8]{0,1}` is
/// `(d0, d1) -> (d1 * 4 + d0)`. Same errors, and overflow if the element count does not fit in 64 bits.
Result<IndexMap> to_linear(const TensorType& type);

/// Rewrites an indexing between logical indices as one between physical indices. `from` and `to` are the
/// types of the values at the start and at the end of the map. Same errors.
Result<IndexingSet> in_physical_form(const IndexingSet& logical, const TensorType& from,
                                     const TensorType& to);

}  // namespace tessera
