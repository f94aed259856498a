// SPDX-License-Identifier: Apache-2.0
/// \file
/// Accesses whose predicted cost access_measure.cu compares with measurements on a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::bench {

/// One warp reads one vector per lane, from shared or from global memory.
struct AccessCase {
  const char* name;
  bool shared;         ///< true: shared memory; false: global memory
  const char* layout;  ///< from the lane (and the values of its vector) to the offset
  int element_bytes;
  int vector;
};

/// The library's predictions, and the first byte of each lane.
struct PredictedAccess {
  AccessCase access;
  std::vector<std::int64_t> bytes;
  std::int64_t wavefronts = 0;  ///< for shared memory
  std::int64_t sectors = 0;     ///< for global memory
  std::string error = {};       ///< why there is no prediction
};

/// All cases: strides, broadcasts, swizzles and padding, 4, 8 and 16 bytes per lane.
std::vector<PredictedAccess> predicted_accesses();

}  // namespace tessera::bench
