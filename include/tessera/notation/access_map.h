// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory that an operation touches: index maps composed with layouts.
#pragma once

#include "tessera/base/result.h"
#include "tessera/map/judge.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// Composes `map`, from output indices (and range and runtime variables) to operand indices, with the layout
/// of the operand: the result is an offset in its memory. The domain is that of `map`. Simplified.
/// Errors: rank_mismatch (the map does not end in the operand's dimensions). Exact. Example: the transpose
/// `(d0, d1) -> (d1, d0)` of `f32[4,8]{1,0:T(2,4)(2,1)}` is `(d1 / 2) * 14 + d0 * 2 + d1`.
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand);

/// The same from output offsets instead of indices: the operand offset as a function of the output offset,
/// defined where the output has an element. Errors also: shape_mismatch (the domain of the map is not the
/// output's box), not_invertible (two output indices share an offset).
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand, const Layout& output);

/// Whether the operation moves no data: each output element is read from the offset at which it is stored
/// (f_in . map = f_out). Errors: rank_mismatch, shape_mismatch.
Result<Equality> is_bitcast(const IndexMap& map, const Layout& operand, const Layout& output);

}  // namespace tessera
