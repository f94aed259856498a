// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks over the elements of a box and of the local array of a place.
#pragma once

#include <span>
#include <vector>

#include "base/index_walk.h"
#include "reshard/parts/run_intersection.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera::detail {

/// Calls visit(local index at the sender, local index at the receiver) for each element of a box until it
/// returns false. Returns false if `visit` did. A box has elements.
template <class Visit>
bool for_each_element(const MessageBox& box, const Visit& visit) {
  std::vector<Index> at(box.size(), 0);
  std::vector<Index> from(box.size());
  std::vector<Index> to(box.size());
  const auto set = [&](std::size_t d) {
    const Index k = at[d] / box[d].length;
    const Index i = at[d] % box[d].length;
    from[d] = box[d].from_local + k * box[d].from_step + i;
    to[d] = box[d].to_local + k * box[d].to_step + i;
  };
  for (std::size_t d = 0; d < box.size(); ++d) set(d);
  do {
    if (!visit(from, to)) return false;
  } while (advance_last(box.size(), [&](std::size_t d) {
    const bool more = next_value(at[d], 0, box[d].size());
    set(d);
    return more;
  }));
  return true;
}

/// Calls visit(local index, row-major number in the array) for each element of a shard.
template <class Visit>
void for_each_element(const BoundDistribution& side, std::size_t shard, const Visit& visit) {
  std::vector<std::vector<Index>> dims;
  for (std::size_t d = 0; d < side.shape().size(); ++d)
    dims.push_back(indices_of(side.parts(d)[side.part({.shard = shard, .dim = d})]));
  std::vector<Index> at(dims.size(), 0);
  const auto advance = [&](std::size_t d) { return next_value(at[d], 0, std::ssize(dims[d])); };
  for (Index n = side.elements(shard); n > 0; --n, advance_last(dims.size(), advance)) {
    Index number = 0;
    for (std::size_t d = 0; d < dims.size(); ++d)
      number = number * side.shape()[d] + dims[d][static_cast<std::size_t>(at[d])];
    visit(at, number);
  }
}

}  // namespace tessera::detail
