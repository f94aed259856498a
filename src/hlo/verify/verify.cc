// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify.h"

#include <utility>

#include "hlo/syntax/attribute_forms.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verify_header.h"
#include "hlo/verify/verify_sharding.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {
namespace {

// Checks the form of every attribute, even if no rule reads it.
Problem check_forms(const Instruction& instruction) {
  for (const Attribute& attribute : instruction.attributes) {
    if (auto problem = check_form(attribute, attribute_form(attribute.key))) return problem;
  }
  return std::nullopt;
}

bool any_operand(const Instruction& instruction, bool (HloType::*property)() const) {
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if ((instruction.operand_type(i).*property)()) return true;
  }
  return false;
}

// Opcodes whose rules only compare whole types, where an unbounded dimension matches any extent. Other rules
// compute with extents.
bool compares_types(Opcode opcode) {
  switch (opcode) {
    case Opcode::call:
    case Opcode::fusion:
    case Opcode::while_:
    case Opcode::conditional:
    case Opcode::async_start:
      return true;
    default:
      return only_forwards(opcode);
  }
}

}  // namespace

void infer_missing_type(Instruction& instruction, DiagnosticSink& sink) {
  if (!instruction.sound || any_operand(instruction, &HloType::has_unreadable)) {
    instruction.sound = false;
    return;
  }
  HloType type = HloType::unreadable();
  auto problem = check_instruction(Rule(instruction, &type));
  if (!problem && type.kind() == HloType::Kind::unreadable)
    problem = Rule(instruction, &type).must_be_written();
  if (problem) {
    instruction.sound = false;
    sink.add(*std::move(problem));
    return;
  }
  instruction.type = std::move(type);
}

void verify(HloModule& module, DiagnosticSink& sink, bool entry_is_cut) {
  verify_header(module, sink, entry_is_cut);
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) {
      if (!instruction->sound) continue;
      if (any_operand(*instruction, &HloType::has_unreadable)) {  // reported at the operand
        instruction->sound = false;
        continue;
      }
      auto problem = check_forms(*instruction);
      if (!problem) problem = check_sharding(*instruction, sink);
      const bool open =
          !compares_types(instruction->opcode) &&
          (instruction->type.has_unbounded() || any_operand(*instruction, &HloType::has_unbounded));
      if (!problem && !open) problem = check_instruction(Rule(*instruction));
      if (problem) {
        instruction->sound = false;
        sink.add(*std::move(problem));
      }
    }
  }
}

}  // namespace tessera::detail
