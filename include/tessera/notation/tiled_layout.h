// SPDX-License-Identifier: Apache-2.0
/// \file
/// XLA's layout of an array: physical order of the dimensions, tiles, and the parts after them.
#pragma once

#include <vector>

#include "tessera/base/index.h"

namespace tessera {

/// A tile entry that merges its dimension with the next more minor one, written `*`. Not a size: no number
/// parses as it.
inline constexpr Index kCombine = kIndexMin;

/// `{1,0:T(8,128)(2,1)}`. A permutation; tile entries >= 1 or kCombine, but never kCombine as the most minor
/// one. minor_to_major lists the dimensions, fastest first; each tile is applied to the physical dimensions
/// that the previous one leaves. Physical dimensions are numbered from the most major, 0.
struct TiledLayout {
  std::vector<Index> minor_to_major;
  std::vector<std::vector<Index>> tiles = {};
  Index tail_align = 1;    ///< L(...): elements
  Index element_bits = 0;  ///< E(...): 0 means the type's own
  Index memory_space = 0;  ///< S(...): no effect on offsets or sizes
  /// One split of `SC(dim:points)`: a physical dimension cut before each point.
  struct Split {
    Index dim = 0;
    std::vector<Index> points;
    friend bool operator==(const Split&, const Split&) = default;
  };
  std::vector<Split> splits = {};   ///< SC(...)
  Index metadata_prefix_bytes = 0;  ///< M(...)

  /// Only an order of the dimensions.
  bool is_plain() const;

  friend bool operator==(const TiledLayout&, const TiledLayout&) = default;
};

/// The order n-1, ..., 1, 0: the last dimension is the fastest.
std::vector<Index> descending_order(std::size_t rank);

}  // namespace tessera
