// SPDX-License-Identifier: Apache-2.0
#include "tessera/reshard/reshard_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "reshard/plan/node_bytes.h"
#include "reshard/plan/pair_table.h"
#include "reshard/plan/plan_state.h"
#include "reshard/plan/planned_array.h"
#include "reshard/plan/relabel.h"
#include "reshard/plan/sender_shares.h"
#include "reshard/plan/transfers.h"

namespace tessera {
namespace {

using detail::Transfer;
using detail::whole_bytes;

void add_totals(ReshardPlan::State& state) {
  const auto places = static_cast<std::size_t>(state.places);
  std::vector<Index> receive(places, 0);
  std::vector<Index> send(places, 0);
  detail::PairTable pairs(state.places);
  Index target_bits = 0;
  Index gather_bits = 0;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    Index elements = 1;
    for (const Index extent : array.from.shape()) elements *= extent;
    for (Index place = 0; place < state.places; ++place) {
      const auto target = array.to.shard_of(place);
      if (!target) continue;
      target_bits += array.to.elements(*target) * array.element_bits;
      const auto source = array.from.shard_of(place);
      gather_bits += (elements - (source ? array.from.elements(*source) : 0)) * array.element_bits;
    }
    detail::for_each_transfer(array, state.planned[k], state.shares[k], state.per_node,
                              [&](const Transfer& transfer) {
                                const Index bits = transfer.elements * array.element_bits;
                                receive[static_cast<std::size_t>(transfer.to)] += bits;
                                send[static_cast<std::size_t>(transfer.from)] += bits;
                                pairs.add(transfer.from, transfer.to, bits);
                              });
  }
  Index total = 0;
  for (const Index bits : receive) {
    total += bits;
    state.receive.push_back(whole_bytes(bits));
    state.total += whole_bytes(bits);
  }
  for (const Index bits : send) state.send.push_back(whole_bytes(bits));
  state.kept = whole_bytes(target_bits - total);
  state.full_gather = whole_bytes(gather_bits);
  state.pairs = pairs.pairs();
}

}  // namespace

std::span<const ReshardArray> ReshardPlan::arrays() const { return state_->arrays; }
Index ReshardPlan::places() const { return state_->places; }
std::span<const Index> ReshardPlan::receive() const { return state_->receive; }
std::span<const Index> ReshardPlan::send() const { return state_->send; }
Index ReshardPlan::total() const { return state_->total; }
Index ReshardPlan::kept() const { return state_->kept; }
Index ReshardPlan::full_gather() const { return state_->full_gather; }
std::span<const PairBytes> ReshardPlan::pairs() const { return state_->pairs; }
const std::optional<NodeBytes>& ReshardPlan::nodes() const { return state_->nodes; }
std::span<const std::pair<Index, Index>> ReshardPlan::relabeled() const { return state_->relabeled; }
Index ReshardPlan::max_send() const {
  return state_->send.empty() ? 0 : *std::ranges::max_element(state_->send);
}
Index ReshardPlan::max_receive() const {
  return state_->receive.empty() ? 0 : *std::ranges::max_element(state_->receive);
}

Result<ReshardPlan> make_reshard_plan(std::vector<ReshardArray> arrays, const ReshardOptions& options) {
  auto state = std::make_shared<ReshardPlan::State>();
  state->per_node = options.per_node;
  Index bits = 0;
  for (const ReshardArray& array : arrays) {
    if (array.from.places() != arrays[0].from.places() || array.to.places() != arrays[0].from.places()) {
      return fail(
          Code::value_count,
          fmt::format(
              "all distributions must have the same number of places, but one has {} and another has {}",
              arrays[0].from.places(),
              array.from.places() != arrays[0].from.places() ? array.from.places() : array.to.places()));
    }
    auto planned = detail::planned_array(array);
    if (!planned) return fail(planned.error());
    state->planned.push_back(std::move(*planned));
    // No sum in a plan exceeds the bits of all arrays at all places.
    Index all = array.element_bits;
    bool fits = !mul_overflows(all, array.from.places(), all);
    for (const Index extent : array.from.shape()) fits = fits && !mul_overflows(all, extent, all);
    if (!fits || add_overflows(bits, all, bits)) {
      return fail(Code::overflow, "the bits of the arrays on all places exceed 64 bits");
    }
  }
  state->places = arrays.empty() ? 0 : arrays[0].from.places();
  state->arrays = std::move(arrays);
  if (options.relabel != Relabel::none) {
    if (const auto done = detail::relabel(*state, options.relabel); !done) return fail(done.error());
  }
  state->shares = detail::sender_shares(state->arrays, state->planned);
  add_totals(*state);
  if (state->per_node > 0) state->nodes = detail::node_bytes(*state);
  return ReshardPlan(std::move(state));
}

}  // namespace tessera
