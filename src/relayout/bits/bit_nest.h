// SPDX-License-Identifier: Apache-2.0
/// \file
/// A copy of bits as loops.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "relayout/bits/bit_form.h"

namespace tessera::moving {

/// What the destination holds beyond the bits of the source.
enum class Widening : std::uint8_t { none, zero, sign };

/// Bits of an element that lie together on both sides: `count` bits are copied, and `more` bits after them
/// are 0, or repeat the last one.
struct BitRange {
  int first = 0;  ///< of the source's value
  int count = 0;
  int more = 0;
  bool repeats = false;
  std::uint64_t flip = 0;  ///< bits of the destination to invert
  std::size_t from = 0;    ///< the part of the source
  std::size_t to = 0;      ///< the part of the destination
};

/// The steps of a loop for one range, in bits. Tables replace the steps if they are not empty.
struct BitSteps {
  Index src = 0;
  Index dst = 0;
  std::vector<Index> src_table = {};
  std::vector<Index> dst_table = {};

  bool is_table() const { return !src_table.empty(); }
  Index src_at(Index i) const { return is_table() ? src_table[static_cast<std::size_t>(i)] : i * src; }
  Index dst_at(Index i) const { return is_table() ? dst_table[static_cast<std::size_t>(i)] : i * dst; }
};

struct BitLoop {
  Index extent = 1;
  std::vector<BitSteps> steps;  ///< one for each range
};

/// Loops around the ranges of an element. All ranges are copied at every iteration.
struct BitNest {
  std::vector<BitRange> ranges;
  std::vector<Index> src;  ///< bit offsets at the first iteration, one for each range
  std::vector<Index> dst;
  std::vector<BitLoop> loops;
};

/// The ranges of a copy between two forms. `recoded` bits of the value are inverted. Requires a destination
/// that is at least as wide.
std::vector<BitRange> bit_ranges(const BitForm& src, const BitForm& dst, Widening widening,
                                 std::uint64_t flip = 0);

/// The nests that copy the indices lo <= x < hi of all dimensions. O(digits) nests for each dimension. Empty
/// if the digits of the sides have no common boundary within kTableEntries indices.
std::optional<std::vector<BitNest>> bit_nests(const BitForm& src, const BitForm& dst,
                                              const std::vector<BitRange>& ranges, std::span<const Index> lo,
                                              std::span<const Index> hi);

inline constexpr Index kTableEntries = 1024;

}  // namespace tessera::moving
