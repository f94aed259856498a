// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indices of the box that each thread touches, one by one.
#pragma once

#include <vector>

#include "tessera/access/access.h"

namespace tessera::detail {

/// The entry of a thread that touches nothing.
inline constexpr Index kOff = -1;

/// The 1-D index of the box, or kOff, for each (thread, value), threads fastest.
struct ThreadTable {
  Index threads = 1;
  Index values = 1;
  std::vector<Index> index;

  Index at(Index thread, Index value) const {
    return index[static_cast<std::size_t>(thread + threads * value)];
  }
};

/// The table of an access to a box. Errors: index_out_of_range, rank_mismatch (a map or a window whose rank
/// is not that of the box), limit (more than 2^22 entries), not_applicable (a map with a thread below 0).
Result<ThreadTable> thread_table(const Access& access, std::span<const Index> box);

/// `(thread 3, value 1)`.
std::string thread_value_text(Index thread, Index value);

}  // namespace tessera::detail
