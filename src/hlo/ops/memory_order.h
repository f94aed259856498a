// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts between logical indices and coordinates in memory order.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hlo/ops/map_builder.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// The memory of a layout as a row-major array with the extents `extents()`. It holds exactly the elements of
/// the logical array, unless tiles add padding.
class MemoryOrder {
 public:
  /// Empty if a tail alignment or a tile overflows 64 bits, or the order is not a permutation.
  static std::optional<MemoryOrder> make(const TensorType& type);

  std::span<const Index> extents() const { return extents_; }
  /// Bits from one element to the next.
  Index element_bits() const { return element_bits_; }
  /// Whether memory order is the logical order, without tiles.
  bool is_row_major() const { return row_major_; }

  bool is_tiled() const { return !tiles_.empty(); }

  /// Memory coordinates of a logical index.
  std::vector<Expr> coordinates(std::span<const Expr> index) const;
  /// The logical index at these memory coordinates; constraints of `map` exclude the padding.
  std::vector<Expr> index(std::vector<Expr> at, MapBuilder& map) const;

 private:
  // One tiled dimension: `count` coordinates from `first` on are merged into one of extent `bound`, which is
  // cut into blocks of `tile`.
  struct Cut {
    std::size_t first;
    std::size_t count;
    Index tile;
    Index bound;
  };
  // One tile: unit coordinates first, then coordinates that stay, then the cuts.
  struct Tile {
    std::size_t extended;
    std::size_t kept;
    std::vector<Cut> cuts;
    std::vector<Index> bounds;  // before the cuts
  };

  std::vector<Index> order_;  // logical dimension of each memory dimension, slowest first
  std::vector<Tile> tiles_;
  std::vector<Index> extents_;
  Index element_bits_ = 0;
  bool row_major_ = true;
};

}  // namespace tessera::detail
