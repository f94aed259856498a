// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the threads of a block touch in a layout, instruction by instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/access/memory_target.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// One access of all threads: which indices of the layout's box they touch, and how.
struct Access {
  std::string name = "a";
  /// From (thread, value) to the 1-D index of the box, first dimension fastest. With one dimension, one value
  /// per thread.
  Layout tv;
  AccessKind kind = AccessKind::read;
  int matrices = 4;                          ///< per ldmatrix or stmatrix: 1, 2 or 4
  Index vector = 1;                          ///< values that one instruction moves per thread
  std::uint64_t active = ~std::uint64_t{0};  ///< the lanes of every warp that take part
  Index weight = 1;                          ///< how many times this access counts in sums
  Index base = 0;                            ///< byte address of offset 0
};

/// One instruction of one warp: the box index of the first element of each lane's vector.
struct AccessInstruction {
  std::vector<Index> indices;
  std::uint64_t active = 0;
};

/// The instructions of an access to a layout, ordered by warp, then by vector of values. `offsets` has the
/// layout's offset for each 1-D index. Errors: index_out_of_range (the access leaves the box), not_applicable
/// (the values of a vector are not consecutive), unsupported_width, bad_option (the target has no matrix
/// access), overflow, limit (more than 2^22 values).
Result<std::vector<AccessInstruction>> access_instructions(const Access& access,
                                                           std::span<const Index> offsets,
                                                           Index element_bytes, const MemoryTarget& target);

}  // namespace tessera
