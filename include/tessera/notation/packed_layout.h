// SPDX-License-Identifier: Apache-2.0
/// \file
/// PackedLayout: layouts that order parts of dimensions, Morello's physical dimensions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// One physical dimension. packed(size) and odd_even(size) take `size` values of the logical dimension,
/// dynamic takes the rest; odd_even stores the even positions of a strip of `size` values, then the odd
/// positions.
struct PackedDim {
  enum class Kind : std::uint8_t { dynamic, packed, odd_even };

  Index dim = 0;
  Kind kind = Kind::dynamic;
  Index size = 0;  ///< 0 for dynamic

  friend bool operator==(const PackedDim&, const PackedDim&) = default;
};

/// The largest number of a logical dimension.
inline constexpr Index kMaxPackedDim = 255;

/// Physical dimensions, slowest first, and how many of the fastest are known to be contiguous. A logical
/// dimension has at most one dynamic entry, its outermost; packed sizes are >= 2, odd-even sizes even;
/// adjacent entries that could be merged are merged. It has no extents: it becomes a map, always without
/// padding, when combined with a shape.
class PackedLayout {
 public:
  PackedLayout() = default;

  /// The layout with these entries, of which the `contig` fastest are contiguous. Errors: contig_range,
  /// dim_out_of_range, number_range (a negative size, or one of a dynamic entry), zero_size, packed_one,
  /// oddeven_odd, dynamic_repeated, dynamic_not_outermost, mergeable.
  static Result<PackedLayout> make(std::vector<PackedDim> dims, std::size_t contig);
  /// As above, with all entries contiguous.
  static Result<PackedLayout> make(std::vector<PackedDim> dims);
  /// Like make, but without checks: the caller guarantees that the rules hold.
  static PackedLayout make_unchecked(std::vector<PackedDim> dims, std::size_t contig);

  std::span<const PackedDim> dims() const { return dims_; }
  /// The number of fastest entries known to be contiguous in memory.
  std::size_t contig() const { return contig_; }
  bool fully_contiguous() const { return contig_ == dims_.size(); }

  friend bool operator==(const PackedLayout&, const PackedLayout&) = default;

 private:
  std::vector<PackedDim> dims_;
  std::size_t contig_ = 0;
};

/// A packed layout with a shape: `6x8:[1, 0, 1 p(4)]`.
struct ShapedPackedLayout {
  std::vector<Index> shape;
  PackedLayout layout;

  /// The offset of an index, as by `offset` below.
  Result<Index> offset(std::span<const Index> index) const;
  Result<Index> offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }
  friend bool operator==(const ShapedPackedLayout&, const ShapedPackedLayout&) = default;
};

/// The extent of each entry for a tensor of this shape, slowest first; their product is the number of
/// elements. Errors: bad_extent (an extent < 1), overflow, dim_out_of_range, not_applicable. O(entries).
Result<std::vector<Index>> expand(const PackedLayout& layout, std::span<const Index> shape);

/// The offset of an index, in elements: the sum over the entries of alpha * (floor(x / v) mod p), where p is
/// the extent of the entry, v the product of the extents of the same dimension inside it, and alpha the
/// product of all extents inside it; odd-even entries have even positions first. A bijection from the box of
/// `shape` to [0, elements). Errors: those of expand, and index_out_of_range. Example: `[1, 0, 1 p(4)]` on
/// 6x8 has (1, 5) at 29.
Result<Index> offset(const PackedLayout& layout, std::span<const Index> shape, std::span<const Index> index);

/// \name Named layouts. Dimensions of extent 1 have no entry.
/// @{
/// The last dimension fastest.
PackedLayout row_major(std::span<const Index> shape);
/// The first dimension fastest.
PackedLayout col_major(std::span<const Index> shape);
/// The first dimension slowest, the others as in col_major.
PackedLayout batched_col_major(std::span<const Index> shape);
/// The order NHWC. Errors: rank_mismatch unless the rank is 4.
Result<PackedLayout> nhwc(std::span<const Index> shape);
/// Whether all entries are dynamic, the last dimension fastest.
bool is_row_major(const PackedLayout& layout);
/// Whether all entries are dynamic, the first dimension fastest.
bool is_col_major(const PackedLayout& layout);
/// @}

/// \name Transformations. Each returns a layout with the same map on the given shape.
/// @{

/// Removes entries of dimensions of extent 1, merges adjacent entries, and makes packed entries dynamic if
/// they cover their dimension. Idempotent. Errors: those of expand.
Result<PackedLayout> canonicalize(const PackedLayout& layout, std::span<const Index> shape);
/// The layout of a tile of `parent` as a separate tensor: contiguity is reduced to what the tile preserves.
/// Errors: those of expand for either shape, rank_mismatch.
Result<PackedLayout> tile(const PackedLayout& layout, std::span<const Index> parent,
                          std::span<const Index> tile);
/// Removes all entries of these logical dimensions (of extent 1) and renumbers the others.
PackedLayout drop_dims(const PackedLayout& layout, std::span<const Index> dims);
/// Swaps two logical dimensions.
PackedLayout swap_dims(const PackedLayout& layout, Index a, Index b);
/// Adds a leading logical dimension of extent 1.
PackedLayout prepend_one(const PackedLayout& layout);
/// @}

/// Whether the offsets of the tile of extents `tile` at `origin` form one interval. Exact: the map is
/// injective, so the smallest and the largest offset decide. Errors: those of expand,
/// index_out_of_range, rank_mismatch.
Result<bool> contiguous_exact(const PackedLayout& layout, std::span<const Index> shape,
                              std::span<const Index> tile, std::span<const Index> origin);

/// The size of a cache line.
struct CacheLine {
  Index bytes = 64;
};

/// The estimated number of cache lines of a whole tensor: the product of the extents outside the contiguous
/// part, times the cache lines of that part. Errors: bad_option (a size below 1), overflow, those of expand.
Result<Index> estimated_cache_lines(const PackedLayout& layout, std::span<const Index> shape,
                                    Index element_bytes, CacheLine line = {});

/// `[1, 0, 1 p(4)]`, `([0, 0 oe(8)], c1)`, `NHWC`. Errors: syntax, number_range, dim_out_of_range (a
/// dimension above 255), and those of PackedLayout::make; each with its span.
Result<PackedLayout> parse_packed_layout(std::string_view text);

/// Reads a packed layout with its shape. Further errors: those of expand.
Result<ShapedPackedLayout> parse_shaped_packed_layout(std::string_view text);

/// Canonical text: parse_packed_layout(to_string(x)) == x.
std::string to_string(const PackedLayout& layout);
std::string to_string(const ShapedPackedLayout& layout);

class Layout;  // layout.h
/// For Layout::make: a packed layout with its shape. Errors: rank_mismatch (no dimension), those of `expand`.
Result<Layout> to_layout(ShapedPackedLayout packed);

}  // namespace tessera
