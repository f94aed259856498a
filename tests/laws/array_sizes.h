// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sizes of arrays, multiplied out.
#pragma once

#include <functional>
#include <numeric>
#include <span>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"

namespace tessera::laws {

inline Index element_bytes_of(DType type) { return (bit_width(type) + 7) / 8; }

inline Index count_of(std::span<const Index> extents) {
  return std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
}

}  // namespace tessera::laws
