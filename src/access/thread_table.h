// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indices of the box that each thread touches, one by one.
#pragma once

#include <vector>

#include "access/limits.h"
#include "access/offset_table.h"
#include "tessera/access/access.h"

namespace tessera::detail {

/// The entry of a thread that touches nothing.
inline constexpr Index kOff = -1;
/// The entry of a value beyond the box, in a vector whose first value is inside.
inline constexpr Index kBeyond = -2;

/// The 1-D index of the box for each (thread, value), threads fastest, or kOff, or kBeyond. Lanes that the
/// access leaves out have kOff.
struct ThreadTable {
  Index threads = 1;
  Index values = 1;
  std::vector<Index> index;
  Index warps = 1;  ///< warps of the access, including the last one, which may have fewer lanes
  /// In a sample, the threads are some vectors of some warps: entry k is the warp of the threads from k *
  /// lanes on. If empty, the table has all warps and all values.
  std::vector<Index> sampled_warps = {};
  Index all_instructions = 0;  ///< in a sample: the number of instructions of the whole access

  Index at(Index thread, Index value) const {
    return index[static_cast<std::size_t>(thread + threads * value)];
  }
  bool is_sample() const { return !sampled_warps.empty(); }
};

/// What to do with an access of too many (thread, value) pairs.
enum class LargeAccess : std::uint8_t { refuse, sample };

/// The table of an access of at most `most_pairs` pairs to a box, for warps of `lanes` threads. A sample has
/// about a quarter as many entries, and always the first and the last instruction. Errors:
/// index_out_of_range, rank_mismatch (a map or a window whose rank is not that of the box), limit (too many
/// pairs to count one by one, or to number), not_applicable (a map with a thread below 0), undefined_value.
Result<ThreadTable> thread_table(const Access& access, std::span<const Index> box, Index lanes,
                                 LargeAccess large = LargeAccess::refuse,
                                 Index most_pairs = kAccessLimits.indices);

/// `(thread 3, value 1)`.
std::string thread_value_text(Index thread, Index value);

}  // namespace tessera::detail
