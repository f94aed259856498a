// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which memory an operation touches: index maps composed with layouts.
#pragma once

#include "tessera/base/result.h"
#include "tessera/map/judge.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The offset in the operand's memory for each output index (and range and runtime variable) of `map`, which
/// leads from there to operand indices: f . map. The domain is the map's with its constraints. Simplified.
/// Errors: rank_mismatch (the map does not end in the operand's dimensions). Exact. Example: the transpose
/// `(d0, d1) -> (d1, d0)` of `f32[4,8]{1,0:T(2,4)(2,1)}` is `(d1 / 2) * 14 + d0 * 2 + d1`.
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand);

/// The same with the output's memory in place of its indices: operand offset as a function of output offset,
/// on the offsets where an element lies. Errors also: shape_mismatch (the map does not start from the
/// output's box), not_invertible (two output indices share an offset).
Result<IndexMap> access_map(const IndexMap& map, const Layout& operand, const Layout& output);

/// An operation that moves no data: what it reads for an output index lies where the output keeps it (f_in .
/// map = f_out). Errors: rank_mismatch, shape_mismatch.
Result<Equality> is_bitcast(const IndexMap& map, const Layout& operand, const Layout& output);

}  // namespace tessera
