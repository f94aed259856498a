// SPDX-License-Identifier: Apache-2.0
/// \file
/// Boxes of indices, and digit layouts restricted to them.
#pragma once

#include <functional>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/digits.h"

namespace tessera::transfer {

/// How much of a mapped file may become resident when one byte is touched: a large folio of the page cache,
/// which recent kernels map as a whole.
inline constexpr Index kPageWindow = Index{1} << 21;

/// The indices with lo[i] <= x[i] < hi[i].
struct IndexBox {
  std::vector<Index> lo;
  std::vector<Index> hi;

  static IndexBox whole(std::span<const Index> shape);
  bool empty() const;
  Index size() const;
  friend bool operator==(const IndexBox&, const IndexBox&) = default;
};

/// How many values a digit has in the box.
Index value_count(const Digit& digit, const IndexBox& box);

/// Bounds on the offsets that the digits can reach in the box; the true ones may be inside. Requires a
/// nonempty box.
struct OffsetRange {
  Index min = 0;
  Index max = 0;
};
OffsetRange offset_range(const Digits& digits, const IndexBox& box);

/// The least number of bytes of memory, in whole windows of the page cache, that is sure to contain
/// everything that reading the box touches. Elements of `element_bits` bits.
Index touched_bytes(const Digits& digits, const IndexBox& box, Index element_bits);

/// The function y -> f(lo + y) on the box of extents hi - lo. Requires a box of `aligned_pieces`.
Digits restricted(const Digits& digits, const IndexBox& box);

/// Visits boxes that partition `box`, on each of which both layouts are digits again. There are few pieces at
/// the borders of tiles: O(digits) per dimension.
void for_each_aligned_piece(const Digits& a, const Digits& b, const IndexBox& box,
                            const std::function<void(const IndexBox&)>& visit);

/// A multiple of all divisors of both layouts in this dimension: boxes that begin there are aligned. 0 if it
/// leaves 64 bits.
Index alignment(const Digits& a, const Digits& b, std::size_t dim);

/// Visits boxes that partition `box` and cost at most `most`, or are single elements. Halves the dimension in
/// which half a box costs least, at a position that is aligned in both layouts if possible; if no half costs
/// less, the one with the longest step in `a`.
void for_each_fitting_box(const Digits& a, const Digits& b, const IndexBox& box,
                          const std::function<Index(const IndexBox&)>& cost, Index most,
                          const std::function<void(const IndexBox&)>& visit);

}  // namespace tessera::transfer
