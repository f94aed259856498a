// SPDX-License-Identifier: Apache-2.0
/// \file
/// An element type, dimensions and a layout: what XLA calls a shape.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// A tile entry, written `*`, that merges its dimension with the next more minor one. No size parses to this
/// value.
inline constexpr Index kCombine = kIndexMin;

/// `{1,0:T(8,128)(2,1)}`. minor_to_major is a permutation that lists the dimensions, fastest first. Tile
/// entries are >= 1 or kCombine, but the most minor entry is never kCombine. Each tile is applied to the
/// physical dimensions that result from the previous tile, numbered from the most major, 0.
struct TiledLayout {
  std::vector<Index> minor_to_major;
  std::vector<std::vector<Index>> tiles = {};
  Index tail_align = 1;    ///< L(...): elements
  Index element_bits = 0;  ///< E(...): 0 means the type's own
  Index memory_space = 0;  ///< S(...): no effect on offsets or sizes
  /// One split of `SC(dim:points)`: cuts a physical dimension before each point.
  struct Split {
    Index dim = 0;
    std::vector<Index> points;
    friend bool operator==(const Split&, const Split&) = default;
  };
  std::vector<Split> splits = {};   ///< SC(...)
  Index metadata_prefix_bytes = 0;  ///< M(...)

  /// Whether the layout is only an order of the dimensions.
  bool is_plain() const;

  friend bool operator==(const TiledLayout&, const TiledLayout&) = default;
};

/// The order n-1, ..., 1, 0: the last dimension is the fastest.
std::vector<Index> descending_order(std::size_t rank);

/// Whether an extent is known exactly, as an upper bound (`<=4`), or not at all (`?`).
enum class DimKind : std::uint8_t { fixed, bounded, unbounded };

/// An element type with dimensions and, if one was written, a layout. Extents are >= 0 (-1 if unbounded); a
/// layout has the same number of dimensions. `make` and the parsers return only types that pass
/// `validate`.
struct TensorType {
  DType dtype = DType::f32;
  std::vector<Index> dims = {};
  std::vector<DimKind> dim_kinds = {};                  ///< empty: all fixed
  std::shared_ptr<const TiledLayout> layout = nullptr;  ///< null: none written (the default order)

  /// The type, or what is wrong with it: negative_dim, rank_mismatch, and the codes of `validate`.
  static Result<TensorType> make(DType dtype, std::vector<Index> dims,
                                 std::optional<TiledLayout> layout = {});

  std::size_t rank() const { return dims.size(); }
  DimKind dim_kind(std::size_t i) const { return dim_kinds.empty() ? DimKind::fixed : dim_kinds[i]; }
  /// Whether every extent is known exactly.
  bool is_static() const { return dim_kinds.empty(); }
  /// Number of elements, where a bounded dimension counts as its bound; empty if it exceeds 64 bits or a
  /// dimension is unbounded. Multiplies left to right, so an overflow before a 0 is still an overflow.
  std::optional<Index> element_count() const;
  /// Physical order, fastest dimension first: the order of the layout, or descending if there is none.
  std::vector<Index> minor_to_major() const;

  friend bool operator==(const TensorType& a, const TensorType& b);
};

/// The first error of the type, or nothing: overflow (elements, or their bytes, exceed 64 bits), m2m_range,
/// m2m_duplicate, tail_align, tile_empty, tile_entry, tile_trailing_star, element_bits, memory_space,
/// metadata_prefix, split_dim_range, split_dim_duplicate, split_order, split_range. These are checked in this
/// order. The diagnostic has no span.
std::optional<Diagnostic> validate(const TensorType& type);

}  // namespace tessera
