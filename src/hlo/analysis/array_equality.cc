// SPDX-License-Identifier: Apache-2.0
// Arrays that are one array in some runs.
#include <algorithm>

#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/loop_slots.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

/// The most loops, conditionals and calls that are looked through.
constexpr std::size_t kMostDepth = 16;

bool is_branching(const Instruction& op) {
  return op.opcode == Opcode::while_ || op.opcode == Opcode::conditional;
}

}  // namespace

bool ArrayOrigins::sometimes_equal(const ProgramArray& a, const ProgramArray& b) {
  return a != b && may_be_equal(a, b);
}

bool ArrayOrigins::may_be_equal(const ProgramArray& a, const ProgramArray& b) {
  if (a == b) return true;
  if (equal_depth_ >= kMostDepth) return true;  // not looked at
  ++equal_depth_;
  bool equal = false;
  if (a.instruction == b.instruction && is_branching(*a.instruction)) {
    equal = results_meet(a, b);
  } else {
    const bool parameters = a.instruction->opcode == Opcode::parameter &&
                            b.instruction->opcode == Opcode::parameter &&
                            a.instruction->parent == b.instruction->parent;
    equal = parameters && parameters_meet(a, b);
    const auto comes_in = [&](const ProgramArray& result, const ProgramArray& other) {
      return std::ranges::any_of(from_outside(result),
                                 [&](const ProgramArray& array) { return may_be_equal(array, other); });
    };
    equal = equal || comes_in(a, b) || comes_in(b, a);
  }
  --equal_depth_;
  return equal;
}

const LoopSlots& ArrayOrigins::slots_of(const Instruction& loop) {
  std::unique_ptr<LoopSlots>& slots = slots_[&loop];
  if (slots == nullptr) slots = std::make_unique<LoopSlots>(loop_slots(loop, *this));
  return *slots;
}

// Two parameters, or two slots of a loop's state inside it.
bool ArrayOrigins::parameters_meet(const ProgramArray& a, const ProgramArray& b) {
  const auto meet = [&](const SlotContent& x, const SlotContent& y) {
    return x == y || (x.age < 0 && y.age < 0 && may_be_equal(x.array, y.array));
  };
  for (const ComputationCaller& site : callers(*a.instruction->parent)) {
    const Instruction& caller = *site.caller;
    if (!caller.sound) continue;
    if (caller.opcode == Opcode::while_) {
      const LoopSlots& slots = slots_of(caller);
      bool equal = !slots.before.empty() && !slots.complete;
      // The condition also sees the last state.
      const auto look = [&](const std::vector<SlotContent>& state) {
        equal = equal || meet(state[a.leaf], state[b.leaf]);
      };
      slots.each_inside(look);
      if (called_by(caller, "condition") == a.instruction->parent) slots.each_final(look);
      if (equal) return true;
      continue;
    }
    const auto passed = [&](const ProgramArray& parameter) -> std::optional<ProgramArray> {
      const auto number =
          static_cast<std::size_t>(std::max<Index>(parameter.instruction->parameter_number, 0));
      const std::size_t operand = site.first_operand + number;
      if (operand >= caller.operands.size()) return std::nullopt;
      const auto leaf = operand_leaf(caller.operands[operand], parameter.leaf);
      return leaf ? std::optional(of(*leaf).array) : std::nullopt;
    };
    const auto x = passed(a);
    const auto y = passed(b);
    if (x && y && may_be_equal(*x, *y)) return true;
  }
  return false;
}

// Two results of one loop or of one conditional.
bool ArrayOrigins::results_meet(const ProgramArray& a, const ProgramArray& b) {
  const Instruction& op = *a.instruction;
  if (!op.sound) return false;
  if (op.opcode == Opcode::while_) {
    const LoopSlots& slots = slots_of(op);
    bool equal = !slots.before.empty() && !slots.complete;
    slots.each_final([&](const std::vector<SlotContent>& state) {
      const SlotContent& x = state[a.leaf];
      const SlotContent& y = state[b.leaf];
      equal = equal || x == y || (x.age < 0 && y.age < 0 && may_be_equal(x.array, y.array));
    });
    return equal;
  }
  return std::ranges::any_of(op.called, [&](const Computation* branch) {
    return branch->root != nullptr &&
           may_be_equal(of({branch->root, a.leaf}).array, of({branch->root, b.leaf}).array);
  });
}

std::vector<ProgramArray> ArrayOrigins::from_outside(const ProgramArray& result) {
  const Instruction& op = *result.instruction;
  std::vector<ProgramArray> out;
  if (!op.sound) return out;
  const auto add = [&](const ProgramArray& array) {
    if (std::ranges::find(out, array) == out.end()) out.push_back(array);
  };
  if (op.opcode == Opcode::while_) {
    slots_of(op).each_final([&](const std::vector<SlotContent>& state) {
      if (state[result.leaf].age < 0) add(state[result.leaf].array);
    });
  } else if (op.opcode == Opcode::conditional) {
    for (std::size_t i = 0; i < op.called.size(); ++i) {
      if (op.called[i]->root == nullptr || i + 1 >= op.operands.size()) continue;
      const ProgramArray returned = inside({op.called[i]->root, result.leaf}).array;
      if (returned.instruction->opcode != Opcode::parameter || returned.instruction->parent != op.called[i])
        continue;
      if (const auto leaf = operand_leaf(op.operands[i + 1], returned.leaf)) add(of(*leaf).array);
    }
  }
  return out;
}

}  // namespace tessera::detail
