// SPDX-License-Identifier: Apache-2.0
#include "notation/named/named_state.h"

#include <algorithm>
#include <iterator>

namespace tessera {

bool NamedLayout::State::empty() const { return std::ranges::find(shape, 0) != shape.end(); }

Index detail::region_offset(const Region& region, std::size_t merged_dim, std::span<const Index> index,
                            int bit) {
  Index offset = region.base;
  for (const Digit& digit : region.digits) {
    const auto dim = static_cast<std::size_t>(digit.dim);
    Index x = dim < index.size() ? index[dim] : bit;
    if (region.merge != 0 && dim == merged_dim) x = region.merge * x + bit;
    if (region.merge != 0 && dim == index.size()) continue;
    offset += digit.stride * digit.value(x);
  }
  return offset;
}

Index detail::grouped_offset(const NamedLayout::State& state, std::span<const Index> index) {
  const Index x = index[state.group_dim];
  const auto after = std::ranges::upper_bound(state.groups, x, {}, &detail::GroupPart::begin);
  const detail::GroupPart& group = *std::prev(after);
  std::vector<Index> local(index.begin(), index.end());
  local[state.group_dim] -= group.begin;
  return region_offset(group.regions.front(), state.shape.size(), local, 0);
}

}  // namespace tessera
