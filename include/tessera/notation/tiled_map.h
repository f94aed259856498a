// SPDX-License-Identifier: Apache-2.0
/// \file
/// The index arithmetic of XLA's tiled layouts: offsets, their inverse, sizes and padding.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// The content of an offset of the buffer: the index of an element, or padding and its cause.
struct TiledCell {
  static constexpr int kNone = -1;  ///< an element, not padding
  static constexpr int kTail = -2;  ///< after the last tile, from L(...)

  std::vector<Index> index = {};  ///< empty for padding
  int padding_of = kNone;         ///< kNone, the number of the tile that pads, or kTail
  bool is_padding() const { return padding_of != kNone; }
};

/// The map of an array's layout with precomputed steps: reorder the dimensions to memory order; for each tile
/// extend, combine and split; then linearize row-major. Injective; offsets are in elements. Every size fits
/// in 64 bits.
class TiledMap {
 public:
  /// The extent of a bounded dimension is its bound. Requires a type that passes `validate`. Errors:
  /// unbounded (a `?` dimension), overflow (a size exceeds 64 bits).
  static Result<TiledMap> make(const TensorType& type);

  /// The extents after all tiles, most major first; their product is tiled_elements().
  std::span<const Index> expanded_shape() const { return expanded_; }
  Index elements() const { return elements_; }
  Index tiled_elements() const { return tiled_elements_; }
  /// tiled_elements rounded up to the layout's tail alignment.
  Index buffer_elements() const { return buffer_elements_; }
  Index padding_elements() const { return buffer_elements_ - elements_; }
  /// The padded extents of the array; empty if some padding does not belong to a single dimension (tiles
  /// combine dimensions, or a tile after the first adds padding).
  std::optional<std::vector<Index>> padded_shape() const;

  /// The offset of an index. Errors: index_out_of_range. O(expanded rank).
  Result<Index> offset(std::span<const Index> index) const;
  Result<Index> offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }
  /// The offset of an index, without the check.
  Index offset_unchecked(std::span<const Index> index) const;
  /// The content of an offset in [0, buffer_elements). Errors: index_out_of_range.
  Result<TiledCell> at(Index offset) const;

  /// `(d0, d1) -> (offset)` over the box of the array, not simplified.
  IndexMap to_index_map() const;

 private:
  // One dimension of one tile: the coordinates [first, first + count), combined and cut by `tile`. `bound` is
  // the product of their extents.
  struct Cut {
    std::size_t first = 0;
    std::size_t count = 1;
    Index tile = 1;
    Index bound = 1;
  };
  // One tile: `extended` leading unit coordinates, an unchanged prefix, then the cuts.
  struct Step {
    std::size_t extended = 0;
    std::size_t prefix = 0;
    std::vector<Cut> cuts;
    std::vector<Index> bounds;  ///< before the cuts, extension included
  };

  template <class T, class Ops>
  T linearized(std::vector<T> coordinates, const Ops& ops) const;

  std::vector<Index> dims_;
  std::vector<Index> order_;  ///< the logical dimension of each physical dimension, most major first
  std::vector<Step> steps_;
  std::vector<Index> expanded_;
  std::vector<std::vector<Index>> tiles_;
  Index elements_ = 1;
  Index tiled_elements_ = 1;
  Index buffer_elements_ = 1;
};

/// Sizes of an array in memory, in bytes; `split_*` only with splits.
struct TiledSizes {
  Index data_bytes = 0;
  Index dense_bytes = 0;       ///< without padding
  Index allocation_bytes = 0;  ///< with the metadata prefix
  std::vector<Index> split_dims = {};
  Index split_data_bytes = 0;
};

/// The sizes of an array of this type. Errors: those of TiledMap::make, overflow.
Result<TiledSizes> sizes(const TensorType& type);

}  // namespace tessera
