// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indices of a box in row-major order: the last dimension fastest.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Advances to the next index of the box [begin, end); false, and back at `begin`, after the last index.
inline bool next_index(std::span<Index> index, std::span<const Index> begin, std::span<const Index> end) {
  for (std::size_t d = index.size(); d-- > 0;) {
    if (++index[d] < end[d]) return true;
    index[d] = begin[d];
  }
  return false;
}

/// Advances to the next index of an array with these extents; false, and back at 0, after the last index.
inline bool next_index(std::span<Index> index, std::span<const Index> extents) {
  for (std::size_t d = index.size(); d-- > 0;) {
    if (++index[d] < extents[d]) return true;
    index[d] = 0;
  }
  return false;
}

/// The index of an array with these extents that has this row-major number.
inline std::vector<Index> index_with_number(std::span<const Index> extents, Index number) {
  std::vector<Index> index(extents.size());
  for (std::size_t d = extents.size(); d-- > 0; number /= extents[d]) index[d] = number % extents[d];
  return index;
}

}  // namespace tessera::detail
