// SPDX-License-Identifier: Apache-2.0
/// \file
/// Boxes of indices, and digit layouts on a part of their box.
#pragma once

#include <functional>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/digits.h"

namespace tessera::transfer {

/// How much of a mapped file may become resident when one byte is touched: a large page of the cache, of
/// which recent kernels map all that is there.
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

/// How many values a digit takes in the box.
Index value_count(const Digit& digit, const IndexBox& box);

/// The smallest and largest offset that the digits can reach in the box; the true ones may lie inside.
/// Requires a box that is not empty.
struct OffsetRange {
  Index min = 0;
  Index max = 0;
};
OffsetRange offset_range(const Digits& digits, const IndexBox& box);

/// The least number of bytes of memory, in whole windows of the page cache, that surely holds what reading
/// the box touches. Elements of `element_bits` bits.
Index touched_bytes(const Digits& digits, const IndexBox& box, Index element_bits);

/// The function y -> f(lo + y) on the box of extents hi - lo. Requires a box of `aligned_pieces`.
Digits restricted(const Digits& digits, const IndexBox& box);

/// Visits boxes that make up `box`, on each of which both layouts are digits again. The pieces at the borders
/// of tiles are few: O(digits) a dimension.
void for_each_aligned_piece(const Digits& a, const Digits& b, const IndexBox& box,
                            const std::function<void(const IndexBox&)>& visit);

/// A multiple of all divisors of both layouts in this dimension: boxes that begin there are aligned. 0 when
/// it leaves 64 bits.
Index alignment(const Digits& a, const Digits& b, std::size_t dim);

/// Visits boxes that make up `box` and cost at most `most`, or are single elements. Halves the dimension in
/// which half a box costs least, at a place that is aligned in both layouts where it can; where no half costs
/// less, the one with the longest step in `a`.
void for_each_fitting_box(const Digits& a, const Digits& b, const IndexBox& box,
                          const std::function<Index(const IndexBox&)>& cost, Index most,
                          const std::function<void(const IndexBox&)>& visit);

}  // namespace tessera::transfer
