// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which registers one instruction moves at once.
#pragma once

#include <vector>

#include "access/registers/thread_values.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::access {

/// The offsets in memory, before padding, of the bases of a register layout: the images of ThreadValues. Not
/// more than the first solution. The registers may have a dimension of stages first. Errors:
/// rank_mismatch.
Result<ThreadValues> offset_images(const ThreadValues& registers, const TritonBases& memory);

/// The registers of the widest vector of at most 16 bytes, in the order of its elements: offsets 1, 2, 4, ...
/// are those of registers, and nothing else has an offset below the vector.
std::vector<std::size_t> vector_registers(const ThreadValues& images, const TritonBases& memory, Index bytes);

}  // namespace tessera::access
