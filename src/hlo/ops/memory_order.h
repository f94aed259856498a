// SPDX-License-Identifier: Apache-2.0
/// \file
/// Indices of an array as coordinates in the order of its memory, and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hlo/ops/map_builder.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// A layout taken apart: the memory is a row-major array with `extents()`, of which the elements of the
/// logical array are a part (all of it, unless tiles pad).
class MemoryOrder {
 public:
  /// Nothing when the layout cannot be computed with: a tail alignment or tile that leaves 64 bits, or an
  /// order that is no permutation.
  static std::optional<MemoryOrder> make(const TensorType& type);

  std::span<const Index> extents() const { return extents_; }
  /// Bits from one element to the next.
  Index element_bits() const { return element_bits_; }
  /// Memory order is the logical order, without tiles.
  bool is_row_major() const { return row_major_; }

  bool is_tiled() const { return !tiles_.empty(); }

  /// Memory coordinates of a logical index.
  std::vector<Expr> coordinates(std::span<const Expr> index) const;
  /// The logical index at these memory coordinates; constraints of `map` leave out the padding.
  std::vector<Expr> index(std::vector<Expr> at, MapBuilder& map) const;

 private:
  // One tiled dimension: `count` coordinates from `first` on, as one with `bound` values, cut into blocks of
  // `tile`.
  struct Cut {
    std::size_t first;
    std::size_t count;
    Index tile;
    Index bound;
  };
  // One tile: unit coordinates put in front, coordinates that stay, then the cuts.
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
