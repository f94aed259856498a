// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory of a blocked layout: how many blocks each dimension has, and how far apart they are.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tessera/notation/blocked_layout.h"

namespace tessera::detail {

struct BlockedMemory {
  std::vector<Index> outer;    ///< the number of blocks of each dimension, with padding
  std::vector<Index> strides;  ///< from one block to the next, in elements
  Index elements = 1;          ///< the buffer; 0 if an extent is 0
};

/// What is wrong with a blocked layout, and which number of its text says so.
struct BlockedFault {
  enum class Part { whole, padded, strides };
  Diagnostic error;
  Part part = Part::whole;
  std::size_t dim = 0;
};

/// Fills `out`, or says what is wrong: bad_extent, overflow. The buffer ends after the last
/// block of the slowest dimension, and its stride is padding after it. Requires an order and blocks that
/// to_layout accepts, and as many padded dimensions and strides as dimensions, or none.
/// O(dimensions * blocks).
std::optional<BlockedFault> measure(const BlockedLayout& layout, BlockedMemory& out);

}  // namespace tessera::detail
