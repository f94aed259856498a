// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/loop_slots.h"

#include <algorithm>

#include "hlo/limits.h"
#include "hlo/syntax/attributes.h"
#include "hlo/walk/counted_loop.h"

namespace tessera::detail {
void LoopSlots::each_final(const std::function<void(const std::vector<SlotContent>&)>& visit) const {
  if (trips && complete) {
    const auto count = static_cast<Index>(before.size());
    const auto first = static_cast<Index>(repeats_);
    const Index at = *trips < count ? *trips : first + (*trips - first) % (count - first);
    visit(before[static_cast<std::size_t>(at)]);
    return;
  }
  for (const auto& state : before) visit(state);
}

void LoopSlots::each_inside(const std::function<void(const std::vector<SlotContent>&)>& visit) const {
  for (std::size_t t = 0; t < before.size(); ++t) {
    if (!trips || static_cast<Index>(t) < *trips) visit(before[t]);
  }
}

LoopSlots loop_slots(const Instruction& loop, ArrayOrigins& origins) {
  LoopSlots out;
  if (loop.opcode != Opcode::while_ || !loop.sound || loop.operands.size() != 1) return out;
  const Computation* const body = called_by(loop, "body");
  const Computation* const condition = called_by(loop, "condition");
  if (body == nullptr || condition == nullptr || body->root == nullptr || body->parameters.size() != 1 ||
      body->parameters[0] == nullptr)
    return out;
  const Instruction* const state = body->parameters[0];
  const std::uint32_t slots = origins.leaves().count(loop.type);
  if (origins.leaves().count(body->root->type) != slots || origins.leaves().count(state->type) != slots ||
      origins.leaves().count(loop.operands[0]) != slots)
    return out;
  std::vector<ProgramArray> returned;
  std::vector<SlotContent> now;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    returned.push_back(origins.inside({body->root, slot}).array);
    now.push_back({origins.of(loop.operands[0], slot).array, -1});
  }
  if (const auto counted = counted_loop(loop, *condition, *body, origins.leaves()))
    if (!counted->start) out.trips = counted->trips;
  while (out.before.size() < kHloLimits.analysis.loop_states) {
    const auto found = std::ranges::find(out.before, now);
    if (found != out.before.end()) {
      out.repeats_ = static_cast<std::size_t>(found - out.before.begin());
      out.complete = true;
      break;
    }
    out.before.push_back(now);
    std::vector<SlotContent> next;
    for (const ProgramArray& array : returned) {
      if (array.instruction != state) {
        next.push_back({array, 0});
        continue;
      }
      next.push_back(now[array.leaf]);
      if (next.back().age >= 0) ++next.back().age;
    }
    now = std::move(next);
  }
  // More states than are followed, but the loop ends before.
  if (out.trips && *out.trips < static_cast<Index>(out.before.size())) out.complete = true;
  return out;
}

}  // namespace tessera::detail
