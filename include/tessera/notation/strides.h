// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strides: layouts that are linear over the integers, as in NumPy.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// base + sum of strides[i] * x[i] over the box of `shape`: one stride per extent. In elements.
struct Strides {
  std::vector<Index> shape;
  std::vector<Index> strides;
  Index base = 0;  ///< the offset of index 0

  /// The offset of an index inside the shape. Requires offsets that fit in 64 bits, as those of every layout
  /// that `to_layout` accepts do. O(rank).
  Index offset(std::span<const Index> index) const {
    Index sum = base;
    for (std::size_t i = 0; i < index.size(); ++i) sum += strides[i] * index[i];
    return sum;
  }
  Index offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }
  friend bool operator==(const Strides&, const Strides&) = default;
};

/// `(6,8):(1,6) + 7`: sizes, element strides, and the offset of index 0, which may be omitted. The
/// prefix `np:` is optional. Errors, each with its span: syntax, number_range, bad_extent (a negative size),
/// rank_mismatch. Example: parse_strides("np:(6,8):(1,6)")->strides == {1, 6}.
Result<Strides> parse_strides(std::string_view text);

/// `np:(6,8):(1,6) + 7`; an offset of 0 is omitted. parse_strides(to_string(x)) == x.
std::string to_string(const Strides& strides);

class Layout;  // layout.h
/// For Layout::make: plain strides; extents may be 0. Errors: rank_mismatch, bad_extent, overflow.
Result<Layout> to_layout(Strides strides);

}  // namespace tessera
