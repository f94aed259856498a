// SPDX-License-Identifier: Apache-2.0
#include "tessera/reshard/reshard_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "base/plural.h"
#include "reshard/plan_state.h"

namespace tessera {
namespace {

using detail::PartMeeting;
using detail::PlannedArray;
using detail::RunMeet;
using detail::Transfer;
using Meetings = std::span<const PartMeeting* const>;

constexpr Index kMostDensePlaces = 1024;

Index bytes_of(Index bits) { return ceil_div(bits, 8); }

// Bits between two places; dense where there are few.
class PairTable {
 public:
  explicit PairTable(Index places) : places_(places) {
    if (places <= kMostDensePlaces) dense_.assign(static_cast<std::size_t>(places * places), 0);
  }
  void add(Index from, Index to, Index bits) {
    const auto key = static_cast<std::size_t>(from * places_ + to);
    if (!dense_.empty()) {
      dense_[key] += bits;
    } else {
      sparse_[key] += bits;
    }
  }
  std::vector<PairBytes> pairs() const {
    std::vector<PairBytes> out;
    const auto add = [&](std::size_t key, Index bits) {
      if (bits == 0) return;
      const auto flat = static_cast<Index>(key);
      out.push_back({flat / places_, flat % places_, bytes_of(bits)});
    };
    for (std::size_t key = 0; key < dense_.size(); ++key) add(key, dense_[key]);
    for (const auto& [key, bits] : sparse_) add(key, bits);
    if (dense_.empty()) {
      std::ranges::sort(out, {}, [](const PairBytes& pair) { return std::pair(pair.from, pair.to); });
    }
    return out;
  }

 private:
  Index places_;
  std::vector<Index> dense_;
  std::unordered_map<std::size_t, Index> sparse_;
};

// Calls visit(source, target, elements) for each pair of shards that meet.
template <class Visit>
void for_each_pair_of_shards(const ReshardArray& array, const PlannedArray& planned, Visit&& visit) {
  for (std::size_t source = 0; source < array.from.shards(); ++source) {
    detail::for_each_meeting(
        planned.tables, planned.parts_of(source), planned.to_parts,
        [&](std::size_t target, Index elements, Meetings) { visit(source, target, elements); });
  }
}

bool has_holder_in_node(std::span<const Index> holders, Index node, Index per_node) {
  const auto at = std::ranges::lower_bound(holders, node * per_node);
  return at != holders.end() && *at / per_node == node;
}

NodeBytes node_bytes(const ReshardPlan::State& state) {
  Index least = 0;
  Index direct = 0;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    for_each_pair_of_shards(array, state.planned[k],
                            [&](std::size_t source, std::size_t target, Index elements) {
                              const auto receivers = array.to.holders(target);
                              for (std::size_t r = 0; r < receivers.size();) {
                                const Index node = receivers[r] / state.per_node;
                                std::size_t end = r;
                                while (end < receivers.size() && receivers[end] / state.per_node == node)
                                  ++end;
                                if (!has_holder_in_node(array.from.holders(source), node, state.per_node)) {
                                  least += elements * array.element_bits;
                                  direct += elements * array.element_bits * static_cast<Index>(end - r);
                                }
                                r = end;
                              }
                            });
  }
  return {state.per_node, bytes_of(least), bytes_of(direct)};
}

// The places that hold parts of any target, and what each part saves at every place, in bits.
struct Gains {
  std::vector<Index> owners;
  std::vector<std::vector<Index>> gain;  // [owner][place]
  Index target_bits = 0;
};

Gains gains_of(const ReshardPlan::State& state) {
  Gains out;
  std::vector<std::ptrdiff_t> row(static_cast<std::size_t>(state.places), -1);
  for (const ReshardArray& array : state.arrays) {
    for (Index place = 0; place < state.places; ++place) {
      const auto shard = array.to.shard_of(place);
      if (!shard) continue;
      out.target_bits += array.to.elements(*shard) * array.element_bits;
      row[static_cast<std::size_t>(place)] = 0;
    }
  }
  for (Index place = 0; place < state.places; ++place) {
    if (row[static_cast<std::size_t>(place)] < 0) continue;
    row[static_cast<std::size_t>(place)] = static_cast<std::ptrdiff_t>(out.owners.size());
    out.owners.push_back(place);
  }
  out.gain.assign(out.owners.size(), std::vector<Index>(static_cast<std::size_t>(state.places), 0));
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    for_each_pair_of_shards(
        array, state.planned[k], [&](std::size_t source, std::size_t target, Index elements) {
          for (const Index owner : array.to.holders(target)) {
            auto& gain = out.gain[static_cast<std::size_t>(row[static_cast<std::size_t>(owner)])];
            for (const Index place : array.from.holders(source)) {
              gain[static_cast<std::size_t>(place)] += elements * array.element_bits;
            }
          }
        });
  }
  return out;
}

// The places that the parts of `owners` go to.
std::vector<Index> best_places(const Gains& gains, bool any, Index& kept_bits) {
  std::vector<std::vector<Index>> gain = gains.gain;
  if (!any) {
    for (std::size_t j = 0; j < gain.size(); ++j) {
      for (std::size_t k = 0; k < gains.owners.size(); ++k) {
        gain[j][k] = gains.gain[j][static_cast<std::size_t>(gains.owners[k])];
      }
      gain[j].resize(gains.owners.size());
    }
  }
  const std::vector<std::size_t> chosen = detail::best_assignment(gain);
  std::vector<Index> places;
  kept_bits = 0;
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    kept_bits += gain[j][chosen[j]];
    places.push_back(any ? static_cast<Index>(chosen[j]) : gains.owners[chosen[j]]);
  }
  return places;
}

// The distribution with place p replaced by where[p].
Result<BoundDistribution> moved(const BoundDistribution& bound, const std::vector<Index>& where) {
  Distribution distribution = bound.distribution();
  if (distribution.on.empty()) {
    const Index most =
        distribution.everywhere ? bound.places() - 1 : *std::ranges::max_element(distribution.mesh.places);
    for (Index place = 0; place <= most; ++place) distribution.on.push_back(place);
  }
  for (Index& place : distribution.on) place = where[static_cast<std::size_t>(place)];
  return bind_distribution(distribution, {bound.shape().begin(), bound.shape().end()}, bound.places());
}

Result<void> relabel(ReshardPlan::State& state, Relabel how) {
  if (state.places > kMostRelabeled) {
    return fail(Code::limit,
                fmt::format("places are relabeled up to {}, not {}", kMostRelabeled, state.places));
  }
  const Gains gains = gains_of(state);
  Index kept = 0;
  const std::vector<Index> chosen = best_places(gains, how == Relabel::any, kept);
  // Places without a part take the numbers that are left, so that every number stays unique.
  std::vector<Index> where(static_cast<std::size_t>(state.places), -1);
  std::vector<bool> taken(where.size(), false);
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    where[static_cast<std::size_t>(gains.owners[j])] = chosen[j];
    taken[static_cast<std::size_t>(chosen[j])] = true;
    if (chosen[j] != gains.owners[j]) state.relabeled.emplace_back(gains.owners[j], chosen[j]);
  }
  std::size_t next = 0;
  for (Index& place : where) {
    if (place >= 0) continue;
    while (taken[next]) ++next;
    taken[next] = true;
    place = static_cast<Index>(next);
  }
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    auto target = moved(state.arrays[k].to, where);
    if (!target) return fail(target.error());
    state.arrays[k].to = std::move(*target);
    auto planned = detail::planned_array(state.arrays[k]);
    if (!planned) return fail(planned.error());
    state.planned[k] = std::move(*planned);
  }
  return {};
}

void add_totals(ReshardPlan::State& state) {
  const auto places = static_cast<std::size_t>(state.places);
  std::vector<Index> receive(places, 0);
  std::vector<Index> send(places, 0);
  PairTable pairs(state.places);
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
    detail::for_each_transfer(array, state.planned[k], state.per_node, [&](const Transfer& transfer) {
      const Index bits = transfer.elements * array.element_bits;
      receive[static_cast<std::size_t>(transfer.to)] += bits;
      send[static_cast<std::size_t>(transfer.from)] += bits;
      pairs.add(transfer.from, transfer.to, bits);
    });
  }
  Index total = 0;
  for (const Index bits : receive) {
    total += bits;
    state.receive.push_back(bytes_of(bits));
    state.total += bytes_of(bits);
  }
  for (const Index bits : send) state.send.push_back(bytes_of(bits));
  state.kept = (target_bits - total) / 8;
  state.full_gather = bytes_of(gather_bits);
  state.pairs = pairs.pairs();
}

// The indices of rank [first, last) of a dimension of a message.
std::vector<RunMeet> slice(std::span<const RunMeet> meets, Index first, Index last) {
  std::vector<RunMeet> out;
  Index before = 0;
  for (const RunMeet& meet : meets) {
    Index begin = std::max<Index>(0, first - before);
    const Index end = std::min(meet.size(), last - before);
    before += meet.size();
    const auto add = [&](Index k, Index within, Index length, Index count) {
      RunMeet part = meet;
      part.lower += k * meet.step + within;
      part.a += k * meet.a_step + within;
      part.b += k * meet.b_step + within;
      part.length = length;
      part.count = count;
      if (count == 1) part.step = part.a_step = part.b_step = 0;
      out.push_back(part);
    };
    while (begin < end) {
      const Index k = begin / meet.length;
      const Index within = begin % meet.length;
      if (within == 0 && end - begin >= meet.length) {
        const Index whole = (end - begin) / meet.length;
        add(k, 0, meet.length, whole);
        begin += whole * meet.length;
      } else {
        const Index length = std::min(meet.length - within, end - begin);
        add(k, within, length, 1);
        begin += length;
      }
    }
  }
  return out;
}

BoxRun box_run(const RunMeet& meet) {
  return {meet.lower, meet.length, meet.count, meet.step, meet.a, meet.a_step, meet.b, meet.b_step};
}

// The boxes of a transfer.
class BoxList {
 public:
  explicit BoxList(Meetings meetings) : meetings_(meetings), inner_(meetings.size() + 1, 1) {
    for (std::size_t d = meetings.size(); d-- > 0;) inner_[d] = inner_[d + 1] * meetings[d]->size;
  }

  // False if there are too many.
  bool add(Index first, Index last) {
    std::vector<std::vector<RunMeet>> dims;
    return add(0, first, last, dims);
  }
  std::vector<MessageBox> take() { return std::move(boxes_); }

 private:
  // Of dimensions d and later those elements whose row-major number is in [first, last): whole indices of
  // dimension d, and before and after them parts of one index.
  bool add(std::size_t d, Index first, Index last, std::vector<std::vector<RunMeet>>& dims) {
    if (first >= last) return true;
    if (d == meetings_.size()) return add_product(dims);
    const Index inner = inner_[d + 1];
    const auto descend = [&](Index from, Index to, Index low, Index high) {
      dims.push_back(from == 0 && to == meetings_[d]->size ? meetings_[d]->meets
                                                           : slice(meetings_[d]->meets, from, to));
      const bool fits = add(d + 1, low, high, dims);
      dims.pop_back();
      return fits;
    };
    const Index head = first / inner;
    const Index tail = last / inner;
    if (head == tail) return descend(head, head + 1, first % inner, last % inner);
    const Index whole = first % inner == 0 ? head : head + 1;
    if (whole != head && !descend(head, whole, first % inner, inner)) return false;
    if (whole != tail && !descend(whole, tail, 0, inner)) return false;
    return last % inner == 0 || descend(tail, tail + 1, 0, last % inner);
  }

  bool add_product(const std::vector<std::vector<RunMeet>>& dims) {
    Index count = 1;
    for (const auto& meets : dims) {
      if (mul_overflows(count, static_cast<Index>(meets.size()), count)) return false;
    }
    if (count > kMostBoxes - static_cast<Index>(boxes_.size())) return false;
    std::vector<std::size_t> at(dims.size(), 0);
    for (Index n = 0; n < count; ++n) {
      MessageBox box;
      for (std::size_t d = 0; d < dims.size(); ++d) box.push_back(box_run(dims[d][at[d]]));
      boxes_.push_back(std::move(box));
      for (std::size_t d = dims.size(); d-- > 0;) {
        if (++at[d] < dims[d].size()) break;
        at[d] = 0;
      }
    }
    return true;
  }

  Meetings meetings_;
  std::vector<Index> inner_;  // elements of one index of dimension d - 1
  std::vector<MessageBox> boxes_;
};

Result<std::vector<MessageBox>> boxes_of(const Transfer& transfer) {
  BoxList boxes(transfer.meetings);
  if (!boxes.add(transfer.first, transfer.last)) {
    return fail(Code::limit, fmt::format("place {} would send place {} more than {} boxes", transfer.from,
                                         transfer.to, kMostBoxes));
  }
  return boxes.take();
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
      return fail(Code::value_count,
                  fmt::format("distributions of {} and {} places", arrays[0].from.places(),
                              array.from.places() != arrays[0].from.places() ? array.from.places()
                                                                             : array.to.places()));
    }
    auto planned = detail::planned_array(array);
    if (!planned) return fail(planned.error());
    state->planned.push_back(std::move(*planned));
    // No sum of a plan exceeds the bits of all arrays on all places.
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
    if (const auto done = relabel(*state, options.relabel); !done) return fail(done.error());
  }
  add_totals(*state);
  if (state->per_node > 0) state->nodes = node_bytes(*state);
  return ReshardPlan(std::move(state));
}

Result<std::vector<ReshardMessage>> messages(const ReshardPlan& plan, std::optional<Index> place) {
  const ReshardPlan::State& state = plan.state();
  std::vector<ReshardMessage> out;
  std::optional<Diagnostic> error;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const std::size_t begin = out.size();
    detail::for_each_transfer(
        state.arrays[k], state.planned[k], state.per_node, [&](const Transfer& transfer) {
          if (error || (place && transfer.from != *place && transfer.to != *place)) return;
          auto boxes = boxes_of(transfer);
          if (!boxes) {
            error = boxes.error();
            return;
          }
          out.push_back({k, transfer.from, transfer.to, transfer.elements,
                         bytes_of(transfer.elements * state.arrays[k].element_bits), std::move(*boxes)});
        });
    if (error) return fail(std::move(*error));
    std::ranges::stable_sort(
        out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), {},
        [](const ReshardMessage& message) { return std::pair(message.from, message.to); });
  }
  return out;
}

std::optional<RelabelBytes> relabel_bytes(const ReshardPlan& plan) {
  const ReshardPlan::State& state = plan.state();
  if (state.places > kMostRelabeled) return {};
  const Gains gains = gains_of(state);
  Index within = 0;
  Index any = 0;
  best_places(gains, false, within);
  best_places(gains, true, any);
  return RelabelBytes{bytes_of(gains.target_bits - within), bytes_of(gains.target_bits - any)};
}

std::string to_string(const MessageBox& box) {
  std::vector<std::string> dims;
  for (const BoxRun& run : box) {
    dims.push_back(to_string(IndexRun{run.lower, run.length, run.count, run.step, 0, 0}));
  }
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

}  // namespace tessera
