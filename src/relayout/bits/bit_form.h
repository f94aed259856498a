// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the bits of elements lie in a buffer.
#pragma once

#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/digits.h"

namespace tessera::moving {

/// stride * (floor(x / div) mod ext), in bits. An ext of 0 has no end.
struct BitDigit {
  Index div = 1;
  Index ext = 0;
  Index stride = 0;
};

/// The part of a bit offset that depends on one index, of which x is the distance from `origin`: the sum of
/// the digits, and table[x mod size] if there is a table.
struct BitDim {
  std::vector<Index> table = {};
  std::vector<BitDigit> digits = {};
  Index origin = 0;

  Index at(Index index) const;
  /// Whether it is a multiple of x, which begins anew anywhere.
  bool is_multiple() const {
    return table.empty() &&
           (digits.empty() || (digits.size() == 1 && digits[0].div == 1 && digits[0].ext == 0));
  }
  /// Whether the sum for x is that for x mod c plus that for x - x mod c, but for a constant, for every x.
  bool splits_at(Index c) const;
  /// Whether the sum for x = from * t is linear in t, but for a constant, for 0 <= t < to / from. Requires
  /// that it splits at both; 0: no end.
  bool is_linear(Index from, Index to) const;
};

/// Bits [first, first + width) of each element, which lie together: bit i of them at base + the sum over the
/// dimensions + i - first.
struct BitPart {
  int first = 0;
  int width = 8;
  Index base = 0;
  std::vector<BitDim> dims = {};

  /// Of the lowest bit.
  Index at(std::span<const Index> index) const;
};

/// All bits of an element: its parts, from the lowest bit up, without gaps.
using BitForm = std::vector<BitPart>;

/// The part of cells of `width` bits.
BitPart part_of(const Digits& cells, int first, int width);

}  // namespace tessera::moving
