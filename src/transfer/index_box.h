// SPDX-License-Identifier: Apache-2.0
/// \file
/// Boxes of indices, and digit layouts restricted to them.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/expr/expr.h"
#include "tessera/notation/digits.h"

namespace tessera::transfer {

/// The box of indices x with lo[i] <= x[i] < hi[i].
struct IndexBox {
  std::vector<Index> lo;
  std::vector<Index> hi;

  static IndexBox whole(std::span<const Index> shape);
  bool empty() const;
  Index size() const;
  friend bool operator==(const IndexBox&, const IndexBox&) = default;
};

/// The number of values that a digit takes in the box.
Index value_count(const Digit& digit, const IndexBox& box);

/// The smallest and the largest offset of the box. Requires a nonempty box.
Interval offset_range(const Digits& digits, const IndexBox& box);

/// An upper bound on the bytes that become resident when all elements of the box are read, counting whole
/// page windows. Elements have `element_bits` bits.
Index touched_bytes(const Digits& digits, const IndexBox& box, Index element_bits);

/// The digits of y -> f(lo + y) for y with extents hi - lo. Requires a box from for_each_aligned_piece.
Digits restricted(const Digits& digits, const IndexBox& box);

/// Partitions `box` into boxes on which both layouts, restricted, have digits. O(digits) pieces per
/// dimension.
void for_each_aligned_piece(const Digits& a, const Digits& b, const IndexBox& box,
                            const std::function<void(const IndexBox&)>& visit);

/// A common multiple of the divisors of both layouts' digits in this dimension. Boxes that begin at its
/// multiples need no further cut. 0 if it does not fit in 64 bits.
Index alignment(const Digits& a, const Digits& b, std::size_t dim);

/// Cuts a box in two: the dimension for which `rank(first half, dimension)` is least, at `cut_at`. Requires
/// two indices.
using CutAt = std::function<Index(const IndexBox&, std::size_t dim)>;
using CutRank = std::function<std::pair<Index, Index>(const IndexBox& half, std::size_t dim)>;
std::pair<IndexBox, IndexBox> halves(const IndexBox& box, const CutAt& cut_at, const CutRank& rank);

/// The roundest number inside a dimension of a box: digits of powers of two begin anew there. Requires two
/// indices in it.
Index round_middle(const IndexBox& box, std::size_t dim);

/// Partitions `box` into boxes that cost at most `most` or are single elements. Repeatedly halves the
/// dimension whose half costs least (of several, the one with the longest step in `a`), if possible where the
/// digits of both layouts change. Without digits, at round numbers.
void for_each_fitting_box(const Digits* a, const Digits* b, const IndexBox& box,
                          const std::function<Index(const IndexBox&)>& cost, Index most,
                          const std::function<void(const IndexBox&)>& visit);

/// A box to be cut where the digits of both layouts change, if there are any.
struct CutBox {
  const Digits* a;
  const Digits* b;
  const IndexBox& box;
};
inline void for_each_fitting(const CutBox& whole, const std::function<Index(const IndexBox&)>& cost,
                             Index most, const std::function<void(const IndexBox&)>& visit) {
  for_each_fitting_box(whole.a, whole.b, whole.box, cost, most, visit);
}

}  // namespace tessera::transfer
