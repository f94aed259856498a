// SPDX-License-Identifier: Apache-2.0
// Proves a plan from its messages and distributions. Uses only the arithmetic of runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/state_of.h"
#include "reshard/plan/plan_state.h"
#include "reshard/plan/planned_array.h"

namespace tessera {
namespace {

using detail::RunMeet;

IndexRun source_run(const BoxRun& run) {
  return {run.lower, run.length, run.count, run.step, run.from_local, run.from_step};
}
IndexRun target_run(const BoxRun& run) {
  return {run.lower, run.length, run.count, run.step, run.to_local, run.to_step};
}

// True if all indices of a run are in the part, with the same local indices.
bool lies_in(const IndexRun& run, const DimPart& part) {
  Index common = 0;
  std::vector<RunMeet> meets;
  for (const IndexRun& own : part.runs) detail::intersect(run, own, meets);
  for (const RunMeet& meet : meets) {
    if (meet.a != meet.b || (meet.count > 1 && meet.a_step != meet.b_step)) return false;
    common += meet.size();
  }
  return common == run.size();
}

bool disjoint(const MessageBox& a, const MessageBox& b) {
  std::vector<RunMeet> meets;
  for (std::size_t d = 0; d < a.size(); ++d) {
    meets.clear();
    detail::intersect(source_run(a[d]), source_run(b[d]), meets);
    if (meets.empty()) return true;
  }
  return false;
}

Index common_elements(const detail::PlannedArray& planned, std::size_t source,
                      std::vector<std::size_t> target_parts) {
  Index elements = 1;
  const std::vector<std::size_t> parts = planned.parts_of(source);
  for (std::size_t d = 0; d < parts.size(); ++d) {
    Index common = 0;
    for (const RunMeet& meet : detail::intersect(planned.from[d][parts[d]], planned.to[d][target_parts[d]])) {
      common += meet.size();
    }
    elements *= common;
  }
  return elements;
}

Failure broken(const ReshardMessage& message, std::string_view what) {
  return fail(Code::verify_failed,
              fmt::format("the message from place {} to place {} {}", message.from, message.to, what));
}

}  // namespace

Result<void> verify(const ReshardPlan& plan) {
  const ReshardPlan::State& state = detail::state_of(plan);
  const auto all = messages(plan);
  if (!all) return fail(all.error());
  // Message boxes by array, receiver and source shard.
  std::map<std::tuple<std::size_t, Index, std::size_t>, std::vector<const MessageBox*>> received;
  std::map<std::pair<std::size_t, Index>, Index> elements;
  for (const ReshardMessage& message : *all) {
    const ReshardArray& array = state.arrays[message.array];
    const detail::PlannedArray& planned = state.planned[message.array];
    const auto source = array.from.shard_of(message.from);
    const auto target = array.to.shard_of(message.to);
    if (!source || !target) return broken(message, "has a place outside the distributions");
    if (array.from.shard_of(message.to) == source)
      return broken(message, "has elements that the receiver has");
    const std::vector<std::size_t> parts = planned.parts_of(*source);
    const std::vector<std::size_t> target_parts = planned.target_parts_of(*target);
    Index sum = 0;
    for (const MessageBox& box : message.boxes) {
      Index size = 1;
      for (std::size_t d = 0; d < box.size(); ++d) {
        size *= box[d].size();
        if (!lies_in(source_run(box[d]), planned.from[d][parts[d]]) ||
            !lies_in(target_run(box[d]), planned.to[d][target_parts[d]])) {
          return broken(message, "has a box outside the shards of its places");
        }
      }
      sum += size;
      auto& others = received[{message.array, message.to, *source}];
      for (const MessageBox* other : others) {
        if (!disjoint(box, *other)) return broken(message, "has elements that arrive twice");
      }
      others.push_back(&box);
    }
    if (sum != message.elements) return broken(message, "has boxes that do not add up");
    elements[{message.array, message.to}] += sum;
  }
  Index bits = 0;
  for (std::size_t k = 0; k < state.arrays.size(); ++k) {
    const ReshardArray& array = state.arrays[k];
    for (Index place = 0; place < state.places; ++place) {
      const auto target = array.to.shard_of(place);
      if (!target) continue;
      const auto source = array.from.shard_of(place);
      const Index kept =
          source ? common_elements(state.planned[k], *source, state.planned[k].target_parts_of(*target)) : 0;
      const auto found = elements.find({k, place});
      const Index arrived = found == elements.end() ? 0 : found->second;
      if (kept + arrived != array.to.elements(*target)) {
        return fail(Code::verify_failed, fmt::format("place {} would have {} of {} elements", place,
                                                     kept + arrived, array.to.elements(*target)));
      }
      bits += arrived * array.element_bits;
    }
  }
  if (ceil_div(bits, 8) > plan.total()) {
    return fail(Code::verify_failed, fmt::format("{} bytes arrive, but the plan's total is only {}",
                                                 ceil_div(bits, 8), plan.total()));
  }
  return {};
}

}  // namespace tessera
