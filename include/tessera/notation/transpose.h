// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts with their dimensions in another order.
#pragma once

#include <span>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The same memory seen through permuted indices, as numpy.transpose(array, axes) does: dimension i of the
/// result is dimension axes[i] of the layout. The notation stays, and so does the buffer size. Errors:
/// rank_mismatch (not one axis per dimension), dim_out_of_range, bad_permutation (an axis twice). Exact.
/// O(rank), of a map the size of the map. Example: `f32[3,5]{1,0:T(2,2)}` by {1, 0} is
/// `f32[5,3]{0,1:T(2,2)}`.
Result<Layout> transpose(const Layout& layout, std::span<const Index> axes);

}  // namespace tessera
