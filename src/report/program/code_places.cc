// SPDX-License-Identifier: Apache-2.0
#include "report/program/code_places.h"

namespace tessera::detail {

CodePlaces::CodePlaces(const HloModule& module, ModuleCode& code) : code_(code) {
  for (const auto& computation : module.computations)
    for (const auto& op : computation->instructions)
      for (const Operand& operand : op->operands) users_[operand.instruction].push_back(op.get());
}

CodePlaces::Candidate CodePlaces::inside(const Instruction& step) {
  Candidate first;
  const auto look = [&](const Instruction& op) {
    if (!code_.line(op).known()) return false;
    const bool deep = code_.stack(op).size() > 1;
    if (first.instruction == nullptr || (deep && !first.deep)) first = {&op, deep};
    return deep;
  };
  if (look(step)) return first;
  if (step.opcode != Opcode::fusion || step.called.empty()) return first;
  const auto& body = step.called.front()->instructions;
  for (auto op = body.rbegin(); op != body.rend(); ++op)
    if ((*op)->opcode != Opcode::parameter && (*op)->opcode != Opcode::constant && look(**op)) return first;
  return first;
}

CodePlace CodePlaces::of(const Instruction& step) {
  Candidate best = inside(step);
  const Instruction* neighbor = nullptr;
  const auto improve = [&](const Instruction& other) {
    const Candidate own = inside(other);
    if (own.instruction == nullptr || (best.instruction != nullptr && !own.deep)) return;
    best = own;
    neighbor = &other;
  };
  if (!best.deep) {
    if (const auto found = users_.find(&step); found != users_.end()) {
      for (const Instruction* user : found->second) {
        if (!best.deep && user->opcode != Opcode::tuple) improve(*user);
      }
    }
    for (const Operand& operand : step.operands) {
      if (!best.deep && operand.instruction->opcode != Opcode::parameter) improve(*operand.instruction);
    }
  }
  CodePlace out{.scope = code_.scope(neighbor != nullptr ? *best.instruction : step), .neighbor = neighbor};
  if (best.instruction == nullptr) return out;
  out.line = code_.line(*best.instruction);
  if (out.scope.empty()) out.scope = code_.scope(*best.instruction);
  return out;
}

}  // namespace tessera::detail
