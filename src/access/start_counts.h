// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many instructions start at each residue of a byte address: sums over any number of warps without
/// enumeration.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tessera/access/memory_target.h"

namespace tessera::detail {

/// Digit i of the number of a warp moves its start by i * step bytes, 0 <= i < extent.
struct GridDigit {
  Index extent;
  Index step;
};

/// For each residue modulo `modulus`, the number of instructions whose first byte has that residue. 128-bit
/// counts cannot overflow.
class StartCounts {
 public:
  /// No instruction.
  explicit StartCounts(Index modulus) : counts_(static_cast<std::size_t>(modulus)) {}
  /// One instruction, which starts at byte 0.
  static StartCounts one(Index modulus);
  /// The instructions with the numbers 0 to `count` - 1, in the mixed radix of the digits, lowest digit
  /// first. Requires that the extents multiply to at least `count`. O(digits * modulus).
  static StartCounts first(std::span<const GridDigit> digits, Index count, Index modulus);

  Index modulus() const { return static_cast<Index>(counts_.size()); }
  __int128 operator[](Index residue) const { return counts_[static_cast<std::size_t>(residue)]; }
  __int128 total() const;

  /// Adds `times` instructions at this address.
  void add(Index address, __int128 times = 1);
  /// Adds (or removes) all instructions of the other, moved by `shift` bytes.
  void add(const StartCounts& other, Index shift);
  void remove(const StartCounts& other);
  /// Replaces each instruction by `count` instructions that start 0, 1, ... times `step` bytes after it.
  void repeat(Index step, Index count);
  /// Replaces each instruction by all of the other, which start relative to it.
  void combine(const StartCounts& other);

 private:
  std::size_t slot(Index address) const { return static_cast<std::size_t>(mod(address, modulus())); }
  std::vector<__int128> counts_;
};

/// What the lanes of an instruction access, relative to its start.
struct LanePattern {
  std::vector<Index> bytes;  ///< first byte of each lane
  std::uint64_t active = ~std::uint64_t{0};
  int width = 4;

  SegmentReport count_at(Index start, std::span<const Index> sizes = {}) const;
};

/// The instructions of one pattern, counted modulo a line and modulo each further segment size.
struct PatternStarts {
  StartCounts lines{kLineBytes};
  std::vector<StartCounts> segments = {};

  /// Calls `count` with each modulus: of a line, then of each size.
  static PatternStarts of(std::span<const Index> sizes, const std::function<StartCounts(Index)>& count);
};

/// Adds what all these instructions fetch. Returns the most sectors of one of them; empty if a sum exceeds 64
/// bits.
std::optional<Index> add_instructions(const LanePattern& pattern, const PatternStarts& starts,
                                      std::span<const Index> sizes, SegmentReport& sum);

/// Whether some instruction fetches this many sectors.
bool has_sectors(const LanePattern& pattern, const StartCounts& lines, Index sectors);

/// The lowest number below `count` for which `found(number + 1)` holds; `found` stays true once it is, and
/// holds for `count`.
Index first_number(Index count, const std::function<bool(Index)>& found);

}  // namespace tessera::detail
