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
#include "tessera/notation/tiled_layout.h"

namespace tessera {

/// How an extent is known: exactly, as an upper bound (`<=4`), or not at all (`?`).
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
  /// Every extent is known exactly.
  bool is_static() const { return dim_kinds.empty(); }
  /// Number of elements (with the bounds of bounded dimensions), or nothing if it exceeds 64 bits or a
  /// dimension is unbounded. Multiplies left to right: an overflow before a 0 is still an overflow.
  std::optional<Index> element_count() const;
  /// Physical order, fastest dimension first: that of the layout, else descending.
  std::vector<Index> minor_to_major() const;

  friend bool operator==(const TensorType& a, const TensorType& b);
};

/// The first error of the type, or nothing: overflow (elements, or their bytes, exceed 64 bits), m2m_range,
/// m2m_duplicate, tail_align, tile_empty, tile_entry, tile_trailing_star, element_bits, memory_space,
/// metadata_prefix, split_dim_range, split_dim_duplicate, split_order, split_range; the first in this order.
/// No position.
std::optional<Diagnostic> validate(const TensorType& type);

}  // namespace tessera
