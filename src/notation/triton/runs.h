// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs: bases of a map, appended bit by bit, and fitted to a shape.
#pragma once

#include <string_view>

#include "notation/triton/basis_lists.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

/// The tensor of one block: the extents that are left when the blocks have their parts.
struct BlockTile {
  std::vector<Index> shape;
  std::vector<Index> extents;
  TritonBasisList cga;  ///< cut at the shape
};
BlockTile block_tile(TritonBasisList cga, std::span<const Index> shape);

/// Appends bases to inputs. A run takes the next bits of a dimension.
class Runs {
 public:
  Runs(std::vector<std::string_view> inputs, std::span<const Index> shape) : taken_(shape.size(), 0) {
    map_.shape.assign(shape.begin(), shape.end());
    for (const std::string_view name : inputs) map_.inputs.push_back({name, {}});
  }

  TritonBasisList& of(std::string_view input);
  /// The next log2 n bits of dimension d; nothing for n < 2.
  void run(std::string_view input, std::size_t d, Index n);
  /// log2 n copies.
  void copies(std::string_view input, Index n);
  /// A basis 1 << taken(d), without taking it, for bits out of order.
  void basis(std::string_view input, std::size_t d, int bit);
  int taken(std::size_t d) const { return taken_[d]; }
  void take(std::size_t d, int bits) { taken_[d] += bits; }
  /// Runs of 2 along these dimensions until the extents are reached.
  void repeat(std::string_view input, std::span<const std::size_t> order, std::span<const Index> extents);
  /// Coordinates at or above the extents become 0.
  void cut(std::span<const Index> extents);
  /// Drops zero bases of an input.
  void drop_zeros(std::string_view input);
  /// Sets the bases of blocks: cga times the extents of a tile.
  void set_blocks(const BlockTile& tile);

  TritonBases take_map() { return std::move(map_); }

 private:
  TritonBases map_;
  std::vector<int> taken_;
};

}  // namespace tessera::triton
