// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/tensor_type.h"

namespace tessera {

bool TiledLayout::is_plain() const {
  return tiles.empty() && tail_align == 1 && element_bits == 0 && memory_space == 0 && splits.empty() &&
         metadata_prefix_bytes == 0;
}

std::vector<Index> descending_order(std::size_t rank) {
  std::vector<Index> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<Index>(rank - 1 - i);
  return order;
}

}  // namespace tessera
