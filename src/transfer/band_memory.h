// SPDX-License-Identifier: Apache-2.0
/// \file
/// Zeroed memory for a band of cells.
#pragma once

#include <cstddef>
#include <memory>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::transfer {

/// Returns the memory of a band to the system.
struct Unmap {
  std::size_t bytes = 0;  ///< 0: of the heap
  void operator()(std::byte* memory) const;
};

/// Zeroed memory of at least `bytes` bytes, in huge pages if it is as large as one and the system has them.
/// Null if there is not enough memory.
std::unique_ptr<std::byte, Unmap> band_memory(Index bytes);

/// The error `limit` for a buffer that could not be allocated.
Failure not_enough_memory(Index bytes);

}  // namespace tessera::transfer
