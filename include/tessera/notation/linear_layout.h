// SPDX-License-Identifier: Apache-2.0
/// \file
/// LinearLayout: layouts that are linear over F2, as in Triton.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// bases[i][k] is the offset of index 2^k in dimension i; the offset of an index is the XOR of the bases of
/// its set bits. Every extent is a power of two, 2^(number of bases); bases are >= 0; at most 62 bits per
/// dimension.
class LinearLayout {
 public:
  LinearLayout() = default;
  /// The layout with these bases. Errors: number_range (a negative basis), limit (more than 62 index bits in
  /// total).
  static Result<LinearLayout> make(std::vector<std::vector<Index>> bases);

  std::span<const std::vector<Index>> bases() const { return bases_; }
  std::vector<Index> shape() const;
  /// The offset of an index inside the shape. O(bits).
  Index offset(std::span<const Index> index) const;
  Index offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }
  /// The index map of the layout: bit k of the offset is the sum, modulo 2, of the index bits whose basis has
  /// bit k.
  IndexMap to_index_map() const;

  friend bool operator==(const LinearLayout&, const LinearLayout&) = default;

 private:
  std::vector<std::vector<Index>> bases_;
};

/// The index map from an offset of the layout to the index, with the domain of all its offsets. Exact,
/// O(bits²). Errors: not_invertible (two indices, in the witness, share an offset), limit (offsets of more
/// than 62 bits). Example: the inverse of d0:1,3 is (d0) -> ((d0 mod 2 + d0 / 2) mod 2 + d0 / 2 * 2) on [0,
/// 3].
Result<IndexMap> inverse(const LinearLayout& layout);

/// `d0:1,16 d1:2,4,8`: dimensions in order, each with the offsets of its bits 0, 1, ...; `d1:` has extent 1.
/// The prefix `ll:` is optional. Errors, each with its span: syntax, number_range, those of
/// LinearLayout::make.
Result<LinearLayout> parse_linear_layout(std::string_view text);

/// `d0:1,16 d1:2,4,8`. parse_linear_layout(to_string(x)) == x for every layout with a dimension.
std::string to_string(const LinearLayout& layout);

class Layout;  // layout.h
/// For Layout::make: a linear layout over F2. Errors: rank_mismatch (no dimension), overflow (offsets
/// of 2^62 or more).
Result<Layout> to_layout(LinearLayout linear);

}  // namespace tessera
