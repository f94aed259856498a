// SPDX-License-Identifier: Apache-2.0
/// \file
/// The local array of a place as a layout.
#pragma once

#include "tessera/base/dtype.h"
#include "tessera/notation/layout.h"
#include "tessera/reshard/distribution.h"

namespace tessera::mpi {

/// The layout of the place's local array. Requires a place of the distribution. Errors: not_representable
/// (tiles whose buffer is padded to the largest shard), those of Layout::make.
Result<Layout> local_layout(const BoundDistribution& side, Index place, DType dtype);

}  // namespace tessera::mpi
