// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/runs.h"

#include <algorithm>

namespace tessera::triton {

BlockTile block_tile(TritonBasisList cga, std::span<const Index> shape) {
  BlockTile tile{.shape = {shape.begin(), shape.end()}, .extents = {}, .cga = std::move(cga)};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Index blocks = 1;
    for (std::vector<Index>& basis : tile.cga) {
      if (basis[d] != 0) blocks *= 2;
      if (basis[d] >= shape[d]) basis[d] = 0;
    }
    tile.extents.push_back(shape[d] / std::min(shape[d], blocks));
  }
  return tile;
}

TritonBasisList& Runs::of(std::string_view input) {
  return std::ranges::find(map_.inputs, input, &TritonInput::name)->bases;
}

void Runs::basis(std::string_view input, std::size_t d, int bit) {
  // Beyond 2^62 a basis is above every extent, so the cut drops it, too.
  of(input).emplace_back(taken_.size(), 0)[d] = Index{1} << std::min(bit, 62);
}

void Runs::run(std::string_view input, std::size_t d, Index n) {
  for (; n > 1; n /= 2) basis(input, d, taken_[d]++);
}

void Runs::copies(std::string_view input, Index n) {
  for (; n > 1; n /= 2) of(input).emplace_back(taken_.size(), 0);
}

void Runs::repeat(std::string_view input, std::span<const std::size_t> order,
                  std::span<const Index> extents) {
  for (const std::size_t d : order) {
    while (taken_[d] < log2_of(extents[d])) run(input, d, 2);
  }
}

void Runs::cut(std::span<const Index> extents) {
  for (TritonInput& input : map_.inputs) {
    for (std::vector<Index>& basis : input.bases) {
      for (std::size_t d = 0; d < basis.size(); ++d) {
        if (basis[d] >= extents[d]) basis[d] = 0;
      }
    }
  }
}

void Runs::drop_zeros(std::string_view input) {
  std::erase_if(of(input), [](const std::vector<Index>& basis) {
    return std::ranges::all_of(basis, [](Index n) { return n == 0; });
  });
}

void Runs::set_blocks(const BlockTile& tile) {
  TritonBasisList& blocks = of("block");
  blocks = tile.cga;
  for (std::vector<Index>& basis : blocks) {
    for (std::size_t d = 0; d < basis.size(); ++d) basis[d] *= tile.extents[d];
  }
}

}  // namespace tessera::triton
