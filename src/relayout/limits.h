// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of plans, of their proofs, and of kernels.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::moving {

/// Every limit of this folder, with its unit and its reason. Sizes that only make a copy faster are next to
/// the kernel that was measured with them.
struct RelayoutLimits {
  /// Of a nest: each has an extent >= 2, and the product of the extents fits in 63 bits.
  std::size_t nest_dims = 64;
  std::size_t loops = 12;  ///< around the region of a part
  /// Of 32 bits that a program reads or writes: a run keeps those that it reads.
  std::size_t bit_words = 128;

  struct Plan {
    std::size_t digit_parts = 4096;   ///< of a plan between layouts with digits
    std::size_t layout_parts = 4096;  ///< of a plan between other layouts
    Index gathered_entries = 8192;    ///< of one gathered row
    /// That fill padding: each cropped dimension may double them, and filling the whole buffer is faster.
    int padding_parts = 64;
    /// Of one table: two take 256 KB, a part of the L2 cache, and a millisecond to fill; a table in memory
    /// gains nothing.
    Index table_entries = Index{1} << 14;
    /// Of all tables of a plan together: they share the L2 cache.
    Index all_entries = 2 * table_entries;
  };
  Plan plan = {};

  struct Read {
    /// A step, size or offset: more than any address space, and two of them fit in 64 bits.
    Index number = Index{1} << 62;
    Index entries = Index{1} << 20;  ///< of one table
    /// Of all tables together, 512 MB: more than any plan that make_plan returns.
    Index table_entries = Index{1} << 26;
    Index chunks = Index{1} << 20;  ///< of a plan
    Index slices = Index{1} << 24;  ///< of all chunks together, each of which visits every part
  };
  Read read = {};

  struct Proof {
    /// Indices of a block that a loop may permute, as of a swizzle or of a tile.
    Index permuted = Index{1} << 20;
    Index tried = 1024;                     ///< lengths of a block, one by one; above, only powers of two
    Index joined_entries = Index{1} << 14;  ///< of the table that joined_index_nest makes
    std::size_t parts = 8192;       ///< that are compared pairwise; the planner makes at most half of these
    Index filled = Index{1} << 26;  ///< elements of padding that are enumerated
  };
  Proof proof = {};
};
inline constexpr RelayoutLimits kRelayoutLimits = {};

}  // namespace tessera::moving
