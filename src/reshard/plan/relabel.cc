// SPDX-License-Identifier: Apache-2.0
// Exchanges the parts of the target among places, so that less moves.
#include "reshard/plan/relabel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/state_of.h"
#include "reshard/plan/assignment.h"
#include "reshard/plan/planned_array.h"

namespace tessera {
namespace {

// The places that hold parts of any target, and the number of bits that each part saves at every place.
struct Gains {
  std::vector<Index> owners;
  std::vector<std::vector<Index>> gain;  // indexed by owner and place
  std::vector<Index> target_bits;        // indexed by owner
};

Gains gains_of(const ReshardPlan::State& state) {
  Gains out;
  std::vector<Index> bits(static_cast<std::size_t>(state.places), -1);
  for (const ReshardArray& array : state.arrays) {
    for (Index place = 0; place < state.places; ++place) {
      const auto shard = array.to.shard_of(place);
      if (!shard) continue;
      Index& sum = bits[static_cast<std::size_t>(place)];
      sum = std::max<Index>(sum, 0) + array.to.elements(*shard) * array.element_bits;
    }
  }
  std::vector<std::ptrdiff_t> row(bits.size(), -1);
  for (Index place = 0; place < state.places; ++place) {
    if (bits[static_cast<std::size_t>(place)] < 0) continue;
    row[static_cast<std::size_t>(place)] = static_cast<std::ptrdiff_t>(out.owners.size());
    out.owners.push_back(place);
    out.target_bits.push_back(bits[static_cast<std::size_t>(place)]);
  }
  out.gain.assign(out.owners.size(), std::vector<Index>(static_cast<std::size_t>(state.places), 0));
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    detail::for_each_pair_of_shards(
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

// The new places of the parts of `owners`. `moved`: the bytes that they then receive, rounded up for each.
std::vector<Index> best_places(const Gains& gains, bool any, Index& moved) {
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
  moved = 0;
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    moved += detail::whole_bytes(gains.target_bits[j] - gain[j][chosen[j]]);
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

}  // namespace

Result<void> detail::relabel(ReshardPlan::State& state, Relabel how) {
  if (state.places > kMaxRelabeled) {
    return fail(Code::limit,
                fmt::format("at most {} places can be relabeled, not {}", kMaxRelabeled, state.places));
  }
  const Gains gains = gains_of(state);
  Index moves = 0;
  const std::vector<Index> chosen = best_places(gains, how == Relabel::any, moves);
  // Places without a part take the remaining numbers, so that every number stays unique.
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

std::optional<RelabelBytes> relabel_bytes(const ReshardPlan& plan) {
  const ReshardPlan::State& state = detail::state_of(plan);
  if (state.places > kMaxRelabeled) return {};
  const Gains gains = gains_of(state);
  RelabelBytes out;
  best_places(gains, false, out.within);
  best_places(gains, true, out.any);
  return out;
}

}  // namespace tessera
