// SPDX-License-Identifier: Apache-2.0
/// \file
/// The maps of layouts of memory.
#pragma once

#include <span>
#include <string_view>

#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

/// Shared memory. Errors: bad_extent, shape_mismatch, not_representable (`transposed_rank`).
Result<TritonBases> shared_bases(const TritonAttribute& attribute, std::span<const Index> shape);
/// Tensor memory. Errors: bad_extent, missing_layout (the type of the elements is needed).
Result<TritonBases> tensor_memory_bases(const TritonAttribute& attribute, std::span<const Index> shape,
                                        std::string_view element);

}  // namespace tessera::triton
