// SPDX-License-Identifier: Apache-2.0
/// \file
/// The digit normal form: indices in a mixed radix, one stride per digit.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/expr/expr.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// stride * (floor(x[dim] / div) mod ext). div >= 1, ext >= 2; strides may be 0 or negative.
struct Digit {
  Index dim = 0;
  Index div = 1;
  Index ext = 2;
  Index stride = 0;
  /// floor(x / div) mod ext, for x >= 0.
  constexpr Index value(Index x) const { return x / div % ext; }
  friend bool operator==(const Digit&, const Digit&) = default;
};

/// f(x) = base + sum over the digits, for x in the box, in normal form. The digits of a dimension form a
/// chain: the first div is 1, each next div is div * ext of the previous digit, and the last digit covers the
/// extent. No two adjacent digits can be joined (stride * ext is not the next stride), the top ext is
/// ceil(extent / div), and digits are sorted by dimension, then by div. Two normal forms on the same box are
/// the same function if and only if they are equal. Offsets are in elements.
class Digits {
 public:
  Digits() = default;

  /// Joins adjacent digits and sets the top extents. Requires chains over a box of extents >= 0; drops
  /// digits of ext 1. A box with an extent 0 gives the form without digits and base 0.
  static Digits normalized(std::vector<Index> box, Index base, std::vector<Digit> digits);

  std::span<const Index> box() const { return box_; }
  Index base() const { return base_; }
  std::span<const Digit> digits() const { return digits_; }
  /// The digits of one dimension, lowest first.
  std::span<const Digit> digits(std::size_t dim) const;
  bool empty_box() const;

  /// f(x) for x >= 0, also beyond the box. O(digits).
  Index offset(std::span<const Index> index) const;
  Index offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }
  /// Product of the exts of a dimension; exceeds its extent if the box crops it.
  Index digit_extent(std::size_t dim) const;
  /// The smallest and the largest offset. Exact if the offsets fit in 64 bits. Requires a nonempty box.
  /// O(digits).
  Interval image_bounds() const;
  /// `(d0, d1) -> (offset)` over the box: terms by dimension and div, then the base.
  IndexMap to_index_map() const;

  friend bool operator==(const Digits&, const Digits&) = default;

 private:
  std::vector<Index> box_;
  Index base_ = 0;
  std::vector<Digit> digits_;
};

/// `0,1,2,2 0,2,2,12`: dim,div,ext,stride of each digit, after the base and `+` unless the base is 0.
std::string to_string(const Digits& digits);

/// A layout as a callable: the offset of an index inside the box.
using OffsetFunction = std::function<Index(std::span<const Index>)>;

/// The most points of a box to enumerate; for larger boxes the answer is `undecided`.
inline constexpr Index kTableLimit = Index{1} << 24;

/// The normal form of any function on a box, found by enumeration. `groups` are the sets of dimensions that
/// may interact; the offset does not depend on the other dimensions. Errors: not_representable with reason
/// `entangled` (the offset mixes dimensions; the witness is the first such index) or `irregular` (a dimension
/// has no chain); undecided if a group has more than kTableLimit points.
Result<Digits> digits_by_tables(std::vector<Index> box, const OffsetFunction& offset,
                                std::span<const std::vector<std::size_t>> groups);

class Layout;  // layout.h
/// For Layout::make: the index map of this normal form, not simplified again. Errors: overflow.
Result<Layout> to_layout(const Digits& digits);

}  // namespace tessera
