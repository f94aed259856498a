// SPDX-License-Identifier: Apache-2.0
/// \file
/// Zeroed memory for a band of cells.
#pragma once

#include <cstddef>
#include <memory>

#include "tessera/base/index.h"

namespace tessera::transfer {

/// Returns memory to the system.
struct Unmap {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const;
};

/// At least that many bytes, all 0, in huge pages if the system has them. Null if there is no memory left.
std::unique_ptr<std::byte, Unmap> band_memory(Index bytes);

}  // namespace tessera::transfer
