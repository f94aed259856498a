// SPDX-License-Identifier: Apache-2.0
#include "mpi/local_layout.h"

#include "base/try.h"

namespace tessera::mpi {

Result<Layout> local_layout(const BoundDistribution& side, Index place, DType dtype) {
  const std::vector<Index> shape = *side.local_shape(place);
  const LocalBuffer buffer = side.local_buffer(place);
  if (buffer.strides()) return Layout::make(Strides{shape, *buffer.strides(), 0});
  const LocalLayout& local = side.distribution().local;
  if (local.padded) {
    return fail(Code::not_representable,
                "a tiled local array that is padded to the largest shard cannot be written as one layout", {},
                "use raw files, or a local layout without 'padded'");
  }
  if (local.layout) return *local.layout;
  TESSERA_TRY(type, TensorType::make(dtype, shape, local.tiled));
  return Layout::make(std::move(type));
}

}  // namespace tessera::mpi
