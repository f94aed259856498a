// SPDX-License-Identifier: Apache-2.0
/// \file
/// Loads, masks, shifts and stores that copy a nest of bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "relayout/bits/bit_nest.h"

namespace tessera::moving {

/// 1, 2 or 4 bytes of a block, from `at` on.
struct BitSlot {
  Index at = 0;
  int bytes = 4;
  // Of a destination's slot:
  std::uint32_t mask = 0;  ///< the bits that it sets
  std::uint32_t flip = 0;  ///< the bits that it inverts
  std::uint32_t ops = 0;   ///< the end of its operations

  bool is_whole() const { return mask == ~std::uint32_t{0} >> (32 - 8 * bytes); }
};

/// Adds (in[slot] << shift) & mask to a slot of the destination; a negative shift is one to the right.
struct BitOp {
  std::uint16_t slot = 0;
  std::int16_t shift = 0;
  std::uint32_t mask = 0;
};

/// A loop around blocks. Steps are bytes.
struct BlockLoop {
  Index extent = 1;
  Index src = 0;
  Index dst = 0;
};

inline constexpr std::size_t kLanes = 16;  ///< blocks that are moved together

/// A nest whose bits are grouped: a block is all bits that share words, and the loops around it step by whole
/// bytes. The blocks of `lanes` are moved together.
struct BitProgram {
  Index src = 0;  ///< bytes, of the first block
  Index dst = 0;
  std::vector<BitSlot> in;
  std::vector<BitSlot> out;
  std::vector<BitOp> ops;
  std::vector<BlockLoop> loops;  ///< the outermost first
  std::size_t lanes = 1;
  std::array<Index, kLanes> lane_src = {};
  std::array<Index, kLanes> lane_dst = {};
  /// If its extent is above 1: around the lanes, which then are kLanes steps of it. The last ones may be
  /// fewer.
  BlockLoop strip = {};

  /// True if no store keeps bits of the destination, so that parts may run at the same time.
  bool writes_whole_slots() const;
  /// The number of iterations of the outermost loop.
  Index chunks() const { return loops.empty() ? 1 : loops[0].extent; }
};

/// The programs for a nest; several if an extent is not a multiple of what shares bytes, or if its ranges do
/// not fit in one block. Empty if a block would have more than kBlockBits bits.
std::optional<std::vector<BitProgram>> bit_programs(const BitNest& nest);

inline constexpr Index kBlockBits = 4096;

}  // namespace tessera::moving
