// SPDX-License-Identifier: Apache-2.0
/// \file
/// The local layout of a view of an array whose local arrays are not row-major.
#pragma once

#include <span>

#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// Gives `view` the local layout with which every place keeps its memory. `rows` is `from` with row-major
/// local arrays, and `view` its view: element k of a local array in row-major order is element k of the local
/// array of the view. Then the layout is the offset of element k, as a function of the local index of the
/// view. Exact. Errors: undecided, with the reason local, if places have local arrays of several shapes,
/// which no layout of a whole local array has, or if no CuTe layout has these offsets.
Result<void> add_local_layout(const BoundDistribution& from, std::span<const Index> shape,
                              Distribution& view);

}  // namespace tessera::detail
