// SPDX-License-Identifier: Apache-2.0
// Bytes that enter nodes from other nodes.
#include "reshard/plan/node_bytes.h"

#include <algorithm>

#include "reshard/plan/planned_array.h"
#include "reshard/plan/transfers.h"

namespace tessera {
namespace {

bool has_holder_in_node(std::span<const Index> holders, Index node, Index per_node) {
  const auto at = std::ranges::lower_bound(holders, node * per_node);
  return at != holders.end() && *at / per_node == node;
}

}  // namespace

NodeBytes detail::node_bytes(const ReshardPlan::State& state) {
  Index least = 0;
  Index direct = 0;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    detail::for_each_pair_of_shards(
        array, state.planned[k], [&](std::size_t source, std::size_t target, Index elements) {
          const auto receivers = array.to.holders(target);
          for (std::size_t r = 0; r < receivers.size();) {
            const Index node = receivers[r] / state.per_node;
            std::size_t end = r;
            while (end < receivers.size() && receivers[end] / state.per_node == node) ++end;
            if (!has_holder_in_node(array.from.holders(source), node, state.per_node)) {
              least += elements * array.element_bits;
              direct += elements * array.element_bits * static_cast<Index>(end - r);
            }
            r = end;
          }
        });
  }
  Index planned = 0;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    const auto count = [&](const Transfer& transfer) {
      if (transfer.from / state.per_node == transfer.to / state.per_node) return;
      planned += transfer.elements * array.element_bits;
    };
    for_each_transfer(array, state.planned[k], state.shares[k], state.per_node, count);
  }
  return {state.per_node, whole_bytes(least), whole_bytes(direct), whole_bytes(planned)};
}

}  // namespace tessera
