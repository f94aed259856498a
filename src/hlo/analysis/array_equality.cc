// SPDX-License-Identifier: Apache-2.0
// Arrays that are one array in some runs.
#include <algorithm>
#include <utility>

#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/loop_slots.h"
#include "hlo/analysis/written_leaves.h"
#include "hlo/check/started.h"
#include "hlo/limits.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

bool is_branching(const Instruction& op) {
  return op.opcode == Opcode::while_ || op.opcode == Opcode::conditional;
}

}  // namespace

bool ArrayOrigins::sometimes_equal(const ProgramArray& a, const ProgramArray& b) {
  comparisons_ = 0;
  return a != b && may_be_equal(a, b);
}

bool ArrayOrigins::may_be_equal(const ProgramArray& a, const ProgramArray& b) {
  if (a == b) return true;
  if (equal_depth_ >= kHloLimits.analysis.equality_depth ||
      ++comparisons_ > kHloLimits.analysis.equality_comparisons)
    return true;  // not looked at
  ++equal_depth_;
  const bool equal = a.instruction == b.instruction && is_branching(*a.instruction) ? results_meet(a, b)
                                                                                    : candidates_meet(a, b);
  --equal_depth_;
  return equal;
}

bool ArrayOrigins::candidates_meet(const ProgramArray& a, const ProgramArray& b) {
  const Candidates& of_a = candidates(a);
  const Candidates& of_b = candidates(b);
  if (!of_a.complete || !of_b.complete) return true;
  for (const ProgramArray& x : of_a.arrays) {
    for (const ProgramArray& y : of_b.arrays) {
      if (x == y || ++comparisons_ > kHloLimits.analysis.equality_comparisons) return true;
      const Instruction& from = *x.instruction;
      const Instruction& to = *y.instruction;
      if (from.opcode == Opcode::parameter && to.opcode == Opcode::parameter) {
        if (from.parent == to.parent && parameters_meet(x, y)) return true;
      } else if (&from == &to && is_branching(from) && results_meet(x, y)) {
        return true;
      }
    }
  }
  return false;
}

const LoopSlots& ArrayOrigins::slots_of(const Instruction& loop) {
  std::unique_ptr<LoopSlots>& slots = slots_[&loop];
  if (slots == nullptr) slots = std::make_unique<LoopSlots>(loop_slots(loop, *this));
  return *slots;
}

bool ArrayOrigins::returns_argument(const ProgramArray& array) {
  const Candidates& all = candidates(array);
  return !all.complete || std::ranges::any_of(all.arrays, [](const ProgramArray& x) {
    return x.instruction->opcode == Opcode::parameter;
  });
}

bool ArrayOrigins::contents_meet(const SlotContent& x, const SlotContent& y) {
  if (x == y) return true;
  if (x.age < 0 && y.age < 0) return may_be_equal(x.array, y.array);
  // What a conditional of the body returns may be an earlier state.
  if ((x.age >= 0 && returns_argument(x.array)) || (y.age >= 0 && returns_argument(y.array))) return true;
  return x.age == y.age && may_be_equal(x.array, y.array);
}

// What a caller passes as a parameter. With late binding, the one update that binds it has the operand.
std::optional<ProgramArray> ArrayOrigins::passed(const ComputationCaller& site,
                                                 const ProgramArray& parameter) {
  if (parameter.instruction->parameter_number < 0) return std::nullopt;
  const auto number = static_cast<std::size_t>(parameter.instruction->parameter_number);
  const Instruction* binder = site.caller;
  std::size_t operand = site.first_operand + number;
  if (operand >= binder->operands.size()) {
    const auto updates = updates_.find(site.caller);
    if (updates == updates_.end()) return std::nullopt;
    binder = nullptr;
    for (const Instruction* update : updates->second) {
      const BoundParameters bound = bound_by(*update);
      if (number < bound.first || number >= bound.last) continue;
      if (binder != nullptr || !update->sound) return std::nullopt;
      binder = update;
      operand = bound.first_operand + number - bound.first;
    }
    if (binder == nullptr || operand >= binder->operands.size()) return std::nullopt;
  }
  const auto leaf = operand_leaf(binder->operands[operand], parameter.leaf);
  return leaf ? std::optional(of(*leaf).array) : std::nullopt;
}

// Two parameters, or two slots of a loop's state inside it.
bool ArrayOrigins::parameters_meet(const ProgramArray& a, const ProgramArray& b) {
  for (const ComputationCaller& site : callers(*a.instruction->parent)) {
    const Instruction& caller = *site.caller;
    if (!caller.sound) return true;
    if (caller.opcode == Opcode::while_) {
      const LoopSlots& slots = slots_of(caller);
      bool equal = !slots.complete;
      // The condition also sees the last state.
      const auto look = [&](const std::vector<SlotContent>& state) {
        equal = equal || contents_meet(state[a.leaf], state[b.leaf]);
      };
      slots.each_inside(look);
      if (called_by(caller, "condition") == a.instruction->parent) slots.each_final(look);
      if (equal) return true;
      continue;
    }
    const auto x = passed(site, a);
    const auto y = passed(site, b);
    if (!x || !y || may_be_equal(*x, *y)) return true;
  }
  return false;
}

// Two results of one loop or of one conditional.
bool ArrayOrigins::results_meet(const ProgramArray& a, const ProgramArray& b) {
  const Instruction& op = *a.instruction;
  if (!op.sound) return true;
  if (op.opcode == Opcode::while_) {
    const LoopSlots& slots = slots_of(op);
    bool equal = !slots.complete;
    slots.each_final([&](const std::vector<SlotContent>& state) {
      equal = equal || contents_meet(state[a.leaf], state[b.leaf]);
    });
    return equal;
  }
  return std::ranges::any_of(op.called, [&](const Computation* branch) {
    return branch->root != nullptr &&
           may_be_equal(of({branch->root, a.leaf}).array, of({branch->root, b.leaf}).array);
  });
}

const ArrayOrigins::Candidates& ArrayOrigins::candidates(const ProgramArray& array) {
  static const Candidates kNotLookedAt{.complete = false};
  if (const auto found = candidates_.find(array); found != candidates_.end()) return found->second;
  if (candidates_depth_ >= kHloLimits.analysis.equality_depth) return kNotLookedAt;
  ++candidates_depth_;
  Candidates out{.arrays = {array}};
  for (std::size_t i = 0; i < out.arrays.size() && out.complete; ++i) {
    const Candidates passed_on = from_outside(out.arrays[i]);
    out.complete = passed_on.complete;
    for (const ProgramArray& x : passed_on.arrays) {
      if (std::ranges::find(out.arrays, x) != out.arrays.end()) continue;
      out.complete = out.complete && out.arrays.size() < kHloLimits.analysis.equality_candidates;
      if (!out.complete) break;
      out.arrays.push_back(x);
    }
  }
  --candidates_depth_;
  return candidates_.try_emplace(array, std::move(out)).first->second;
}

ArrayOrigins::Candidates ArrayOrigins::from_outside(const ProgramArray& result) {
  const Instruction& op = *result.instruction;
  // What a late-bound result or a step with an error may be is not looked at.
  if (op.opcode == Opcode::async_update || op.opcode == Opcode::async_done) return {.complete = false};
  if (!op.sound) return {.complete = op.called.empty()};
  if (may_vanish(op)) {
    const auto operand = operand_leaf(op.operands[0], 0);
    return operand ? Candidates{.arrays = {of(*operand).array}} : Candidates{.complete = false};
  }
  if (op.opcode == Opcode::while_) return from_before(result);
  std::uint32_t leaf = result.leaf;
  if (op.opcode == Opcode::async_start) {
    const auto [first, last] = written_leaves(op);
    if (started_steps(op) == nullptr || leaf < first || leaf >= last) return {};
    leaf -= static_cast<std::uint32_t>(first);
  } else if (op.opcode != Opcode::conditional && op.opcode != Opcode::call) {
    return {};
  }
  Candidates out;
  for (std::size_t i = 0; i < op.called.size(); ++i) {
    const Computation& called = *op.called[i];
    if (called.root == nullptr || leaf >= leaves_.count(called.root->type)) continue;
    const Candidates& returned = candidates(inside({called.root, leaf}).array);
    out.complete = out.complete && returned.complete;
    for (const ProgramArray& array : returned.arrays) {
      if (array.instruction->opcode != Opcode::parameter) continue;
      const auto from = passed({&op, op.opcode == Opcode::conditional ? i + 1 : 0}, array);
      if (from) out.arrays.push_back(*from);
      out.complete = out.complete && from.has_value();
    }
  }
  return out;
}

// Arrays from before a loop that a result of the loop may be.
ArrayOrigins::Candidates ArrayOrigins::from_before(const ProgramArray& result) {
  const LoopSlots& slots = slots_of(*result.instruction);
  Candidates out;
  if (slots.before.empty()) return {.complete = false};
  bool any = !slots.complete;
  slots.each_final([&](const std::vector<SlotContent>& state) {
    const SlotContent& content = state[result.leaf];
    if (content.age < 0) {
      out.arrays.push_back(content.array);
    } else {
      any = any || returns_argument(content.array);
    }
  });
  if (!any) return out;
  for (const SlotContent& content : slots.before[0]) out.arrays.push_back(content.array);
  return out;
}

}  // namespace tessera::detail
