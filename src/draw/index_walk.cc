// SPDX-License-Identifier: Apache-2.0
#include "draw/index_walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

std::string coordinate_text(std::span<const Index> index) {
  return index.empty() ? "()" : fmt::format("{}", fmt::join(index, ","));
}

bool next_index(std::span<Index> index, std::span<const Index> begin, std::span<const Index> end) {
  for (std::size_t k = index.size(); k-- > 0;) {
    if (++index[k] < end[k]) return true;
    index[k] = begin[k];
  }
  return false;
}

}  // namespace tessera
