// SPDX-License-Identifier: Apache-2.0
#include "report/program/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/layout_choice.h"
#include "hlo/operations/work.h"
#include "report/indexing_text.h"
#include "report/program/step_facts.h"
#include "report/program/summary_words.h"
#include "tessera/hlo/opcode.h"

namespace tessera::detail {
namespace {

bool is_elementwise(const Instruction& op) {
  const OpcodeTrait trait = trait_of(op.opcode);
  return trait == OpcodeTrait::unary || trait == OpcodeTrait::binary || trait == OpcodeTrait::ternary;
}

// Whether a compiler for loops makes one kernel of the step.
bool is_loop(const StepTraffic& step) {
  const Instruction& op = *step.instruction;
  if (step.in_place || !op.type.is_array() || !all_exact(step) || has_product(op)) return false;
  switch (op.opcode) {
    case Opcode::fusion: {
      const Attribute* const kind = op.attribute("kind");
      return kind != nullptr && kind->value != "kCustom" && kind->value != "kOutput";
    }
    case Opcode::copy:
      return false;
    case Opcode::broadcast:
    case Opcode::iota:
    case Opcode::reduce:
    case Opcode::reshape:
    case Opcode::reverse:
    case Opcode::slice:
    case Opcode::transpose:
      return true;
    default:
      break;
  }
  return is_elementwise(op);
}

// Whether the program itself has the loops of a product, which could apply more to each sum before it is
// written: not a library.
bool is_own_product(const StepTraffic& step) {
  const Instruction& op = *step.instruction;
  if (step.in_place || !op.type.is_array() || !all_exact(step) || !has_product(op)) return false;
  if (op.opcode == Opcode::dot || op.opcode == Opcode::convolution) return true;
  const Attribute* const kind = op.opcode == Opcode::fusion ? op.attribute("kind") : nullptr;
  return kind != nullptr && kind->value != "kCustom";
}

// The step whose result an operand is, if nothing but this operand reads it.
const Instruction* only_read_source(const Operand& operand, const StepIndex& index) {
  const Instruction* at = operand.instruction;
  if (operand.tuple_index >= 0) return nullptr;
  for (;;) {
    if (at->is_root || index.users_of(*at).size() != 1) return nullptr;
    if (at->opcode != Opcode::bitcast || at->operands.size() != 1 || at->operands[0].tuple_index >= 0)
      return at;
    at = at->operands[0].instruction;
  }
}

// Whether the fusion uses each element of a parameter in one place: nothing combines two values that depend
// on it, except element by element where both are computed from it element by element. Maps alone do not say
// so: those of a sum over an array that is joined with itself are one map.
bool is_used_in_one_place(const Instruction& step, std::uint32_t operand) {
  if (step.opcode != Opcode::fusion) return is_elementwise(step) || step.operands.size() == 1 || operand == 0;
  if (step.called.size() != 1 || operand >= step.called[0]->parameters.size()) return false;
  const Instruction* const parameter = step.called[0]->parameters[operand];
  // Of the instructions that depend on the parameter: whether element by element.
  std::unordered_map<const Instruction*, bool> depends = {{parameter, true}};
  for (const auto& op : step.called[0]->instructions) {
    std::size_t places = 0;
    bool aligned = is_elementwise(*op);
    for (const Operand& x : op->operands) {
      const auto found = depends.find(x.instruction);
      if (found == depends.end()) continue;
      ++places;
      aligned = aligned && found->second;
    }
    if (places == 0) continue;
    if ((places > 1 && !aligned) || (!op->called.empty() && op->opcode != Opcode::reduce)) return false;
    depends.emplace(op.get(), aligned);
  }
  return true;
}

// Whether the step can write its array in any order. What updates in place, a library, or an exchange between
// devices has the order of something else, and a part of a loop's state that of the loop.
bool chooses_order(const StepTraffic& step) {
  const Instruction& op = *step.instruction;
  if (step.in_place || !op.type.is_array() || only_forwards(op.opcode)) return false;
  switch (op.opcode) {
    case Opcode::fusion: {
      const Attribute* const kind = op.attribute("kind");
      return kind != nullptr && kind->value != "kCustom";
    }
    case Opcode::all_gather:
    case Opcode::all_reduce:
    case Opcode::all_to_all:
    case Opcode::collective_broadcast:
    case Opcode::collective_permute:
    case Opcode::custom_call:
    case Opcode::dynamic_update_slice:
    case Opcode::ragged_all_to_all:
    case Opcode::reduce_scatter:
    case Opcode::scatter:
      return false;
    default:
      return true;
  }
}

// The arrays that a step may write over, after which a later reader needs a copy.
class OverwrittenArrays {
 public:
  OverwrittenArrays(const ReportedModule& module, const StepIndex& index)
      : origins_(computations_of(*module.module)) {
    for (const ReportedInstruction& one : module.instructions) {
      if (!writes_over(*one.instruction, index.step_of(*one.instruction))) continue;
      each_operand(*one.instruction, [&](const ProgramArray& array) { arrays_.insert(array); });
    }
  }

  bool has_operand_of(const Instruction& step) {
    bool out = false;
    each_operand(step, [&](const ProgramArray& array) { out = out || arrays_.contains(array); });
    return out;
  }

 private:
  static std::vector<const Computation*> computations_of(const HloModule& module) {
    std::vector<const Computation*> out;
    for (const auto& computation : module.computations) out.push_back(computation.get());
    return out;
  }

  static bool writes_over(const Instruction& op, const StepTraffic* step) {
    switch (op.opcode) {
      case Opcode::async_start:
      case Opcode::call:
      case Opcode::conditional:
      case Opcode::custom_call:
      case Opcode::dynamic_update_slice:
      case Opcode::scatter:
      case Opcode::while_:
        return true;
      default:
        return step != nullptr && (step->in_place || !step->written.exact());
    }
  }

  void each_operand(const Instruction& op, const auto& visit) {
    if (!op.sound) return;
    for (const Operand& operand : op.operands) {
      const std::uint32_t count = origins_.leaves().count(operand);
      for (std::uint32_t leaf = 0; leaf < count; ++leaf) visit(origins_.of(operand, leaf).array);
    }
  }

  ArrayOrigins origins_;
  std::set<ProgramArray> arrays_;
};

std::unordered_set<const Instruction*> movements_of(const ReportedModule& module) {
  std::unordered_set<const Instruction*> out;
  for (const Movement& movement : module.copies.movements) out.insert(movement.instruction);
  return out;
}

// The copy, transpose or reshape that a step is, alone or as the only instruction of a fusion.
const Instruction* moving_instruction(const Instruction& step) {
  const auto moves = [](const Instruction& op) {
    return op.opcode == Opcode::copy || op.opcode == Opcode::transpose || op.opcode == Opcode::reshape;
  };
  if (moves(step)) return &step;
  if (step.opcode != Opcode::fusion || step.called.size() != 1) return nullptr;
  const Instruction* const root = step.called[0]->root;
  const bool alone = step.called[0]->instructions.size() == 2 && root != nullptr && moves(*root) &&
                     root->operands[0].instruction->opcode == Opcode::parameter;
  return alone ? root : nullptr;
}

}  // namespace

std::vector<Waste> fusion_proposals(const ReportedModule& module, const StepIndex& index,
                                    const StepClock& clock) {
  std::vector<Waste> out;
  const bool fused = std::ranges::any_of(module.traffic.steps, [](const StepTraffic& step) {
    return step.instruction->opcode == Opcode::fusion;
  });
  if (!fused) return out;
  const auto moving = movements_of(module);
  std::optional<OverwrittenArrays> overwritten;
  for (const StepTraffic& step : module.traffic.steps) {
    const Instruction& op = *step.instruction;
    if (!is_loop(step) || moving.contains(&op)) continue;
    for (const OperandReads& read : step.operands) {
      if (!read.also.empty() || !is_used_in_one_place(op, read.operand)) continue;
      const Instruction* const source = only_read_source(op.operands[read.operand], index);
      const StepTraffic* const made = source != nullptr ? index.step_of(*source) : nullptr;
      if (made == nullptr || moving.contains(source)) continue;
      const bool product = is_own_product(*made);
      if (!product && !is_loop(*made)) continue;
      const ArrayReads& reads = read.reads;
      // Each element is read once, so nothing is computed twice.
      if (reads.exactness != Exactness::exact || !reads.exact() || reads.reads.lower != reads.elements ||
          reads.used.lower != reads.elements)
        continue;
      const auto bytes = array_bytes(source->type);
      if (!bytes || *bytes == 0) continue;
      const Index less = saturating_mul(2, *bytes);
      Waste waste{.kind = "fusions", .instruction = &op};
      waste.text = fmt::format(
          "reads each element of {}{} once, and nothing else does: one pass could compute "
          "both, without {} between them",
          product ? "the product " : "", printable(place_name(*source)), bytes_words(*bytes));
      waste.bytes = product_of({less, less}, step.runs);
      waste.seconds = clock.merged(*source, op, *bytes);
      if (!overwritten) overwritten.emplace(module, index);
      if (overwritten->has_operand_of(*source)) {
        waste.bytes.lower = 0;
        waste.seconds.lower = 0;
      }
      const ReportedInstruction& one = module.instructions[module.places.at(&op)];
      for (const ReportedPair& pair : one.pairs)
        if (pair.operand == read.operand)
          waste.maps.insert(waste.maps.end(), pair.maps.begin(), pair.maps.end());
      out.push_back(std::move(waste));
    }
  }
  return out;
}

std::vector<Waste> layout_proposals(const ReportedModule& module, const StepIndex& index,
                                    const StepClock& clock) {
  std::vector<ChoosableArray> arrays;
  std::vector<ChoosableMove> moves;
  std::unordered_map<const Instruction*, std::size_t> places;
  for (const Movement& movement : module.copies.movements) {
    const Instruction& step = *movement.instruction;
    if (movement.answer.verdict != Verdict::no || movement.may_vanish()) continue;
    const Instruction* const inner = moving_instruction(step);
    if (inner == nullptr || step.operands.size() != 1 || step.operands[0].tuple_index >= 0) continue;
    const Instruction* const source = step.operands[0].instruction;
    const StepTraffic* const maker = index.step_of(*source);
    if (maker == nullptr || source->is_root || !chooses_order(*maker)) continue;
    const auto [found, is_new] = places.try_emplace(source, arrays.size());
    if (is_new) arrays.push_back({.maker = source});
    moves.push_back({.step = &step, .inner = inner, .source = found->second, .traffic = movement.traffic()});
  }
  // Those that read an array run as often as what makes it. One copy back, at most, for each that wants it as
  // it is; what moves it anyway does not.
  std::unordered_set<const Instruction*> moving;
  for (const ChoosableMove& move : moves) moving.insert(move.step);
  const auto others_of = [&](const ChoosableArray& array) {
    return static_cast<Index>(std::ranges::count_if(
        index.users_of(*array.maker), [&](const Instruction* user) { return !moving.contains(user); }));
  };
  for (ChoosableArray& array : arrays) {
    const StepTraffic& maker = *index.step_of(*array.maker);
    const Index back = times_runs(maker, saturating_mul(2, array_bytes(array.maker->type).value_or(0)));
    array.lost = saturating_mul(back, others_of(array));
  }
  std::vector<Waste> out;
  for (const LayoutGroup& group : choose_layouts(arrays, moves)) {
    const ChoosableArray& first = arrays[group.arrays.front()];
    Waste waste{.kind = "layouts", .instruction = first.maker};
    waste.text = fmt::format("written as {}", printable(to_string(first.layouts[first.chosen])));
    Index others = 0;
    for (const std::size_t a : group.arrays) {
      const ChoosableArray& array = arrays[a];
      others += others_of(array);
      if (&array == &first) continue;
      waste.text += fmt::format(", and {} as {}", printable(place_name(*array.maker)),
                                printable(to_string(array.layouts[array.chosen])));
    }
    const bool one = group.moves.size() == 1;
    waste.text += fmt::format(": {} would be {}, {} less moves",
                              one ? printable(place_name(*moves[group.moves.front()].step))
                                  : plural(group.moves.size(), "movement"),
                              one ? "a bitcast" : "bitcasts", bytes_words(group.saved));
    if (others > 0)
      waste.text += fmt::format("; {} would read {} in another order, at most {} if each copies it back",
                                plural(others, "other instruction"), group.arrays.size() == 1 ? "it" : "them",
                                bytes_words(group.lost));
    if (!group.all_tried) waste.text += "; other orders may save more, not all were tried";
    waste.bytes = {group.saved - group.lost, group.saved};
    for (const std::size_t m : group.moves) waste.seconds = waste.seconds + clock.without(*moves[m].step);
    // The step that writes it may get slower in another order, and so may those that read it.
    waste.seconds.lower = 0;
    out.push_back(std::move(waste));
  }
  return out;
}

}  // namespace tessera::detail
