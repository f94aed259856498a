// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify.h"

#include <optional>
#include <utility>

#include "hlo/ops/rule.h"
#include "hlo/syntax/attribute_forms.h"
#include "hlo/verify/verify_header.h"
#include "hlo/verify/verify_sharding.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {
namespace {

// Checks the form of the attributes that `reader` did not read.
Problem check_forms(const OpReader& reader) {
  const auto& attributes = reader.instruction().attributes;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (reader.has_read(i) || attributes[i].key == "metadata") continue;  // checked when it was parsed
    if (auto problem = check_form(attributes[i], attribute_form(attributes[i].key))) return problem;
  }
  return std::nullopt;
}

// Reads the instruction. Problems with the form of an attribute come before those with its meaning.
Problem check(Instruction& instruction, DiagnosticSink& sink, bool open, const RuntimeSizes* sizes) {
  const OpReader reader(instruction, nullptr, sizes);
  Problem problem;
  if (!open) problem = rule_of(instruction.opcode).read(reader, instruction.value);
  if (auto form = check_forms(problem ? OpReader(instruction) : reader)) return form;
  if (auto sharding = check_sharding(instruction, sink)) return sharding;
  return problem;
}

bool any_operand(const Instruction& instruction, bool (HloType::*property)() const) {
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if ((instruction.operand_type(i).*property)()) return true;
  }
  return false;
}

// Whether the rule only compares whole types, where an unbounded dimension matches any extent. Other rules
// compute with extents.
bool compares_types(Opcode opcode) { return calls_computations(opcode) || only_forwards(opcode); }

}  // namespace

void infer_missing_type(Instruction& instruction, DiagnosticSink& sink) {
  if (!instruction.sound || any_operand(instruction, &HloType::has_unreadable)) {
    instruction.sound = false;
    return;
  }
  HloType type = HloType::unreadable();
  OpValuePtr unused;  // verify() keeps it
  auto problem = rule_of(instruction.opcode).read(OpReader(instruction, &type), unused);
  if (!problem && type.kind() == HloType::Kind::unreadable)
    problem = OpReader(instruction, &type).must_be_written();
  if (problem) {
    instruction.sound = false;
    sink.add(*std::move(problem));
    return;
  }
  instruction.type = std::move(type);
}

void verify(HloModule& module, DiagnosticSink& sink, bool entry_is_cut, bool sizes) {
  verify_header(module, sink, entry_is_cut);
  std::optional<RuntimeSizes> names;
  if (sizes) names.emplace(module);
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) {
      if (!instruction->sound) continue;
      if (any_operand(*instruction, &HloType::has_unreadable)) {  // reported at the operand
        instruction->sound = false;
        continue;
      }
      const bool open =
          !compares_types(instruction->opcode) &&
          (instruction->type.has_unbounded() || any_operand(*instruction, &HloType::has_unbounded));
      auto problem = check(*instruction, sink, open, names ? &*names : nullptr);
      if (problem) {
        instruction->value = nullptr;
        instruction->sound = false;
        sink.add(*std::move(problem));
      }
    }
  }
}

}  // namespace tessera::detail
