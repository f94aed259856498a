// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify.h"

#include <algorithm>
#include <utility>

#include "hlo/syntax/attribute_forms.h"
#include "hlo/verify/rule.h"
#include "notation/xla/xla_place.h"
#include "tessera/notation/hlo_type.h"

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

std::optional<Diagnostic> validate_written(const HloType& type, std::string_view text, std::size_t begin) {
  auto bad = validate(type);
  if (!bad) return bad;
  const Span place = place_in_type(text, type, bad->code);
  const auto offset = static_cast<std::uint32_t>(begin);
  bad->span = {offset + place.begin, offset + place.end};
  return bad;
}

bool compatible(const HloType& a, const HloType& b) {
  if (a.kind() == HloType::Kind::unreadable || b.kind() == HloType::Kind::unreadable) return true;
  if (a.kind() != b.kind()) return false;
  if (a.kind() != HloType::Kind::array) {
    const auto of_a = a.elements();
    const auto of_b = b.elements();
    return of_a.data() == of_b.data() ? of_a.size() == of_b.size()
                                      : std::ranges::equal(of_a, of_b, compatible);
  }
  if (a.rank() != b.rank() || !same_element_type(a.array().dtype, b.array().dtype)) return false;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    if (a.dims()[i] != b.dims()[i] && a.dims()[i] >= 0 && b.dims()[i] >= 0) return false;
  }
  return true;
}

std::string short_text(const HloType& type) {
  constexpr std::size_t kLongest = 100;
  std::string text;
  append(text, type, false);
  // Removes the comments that number the elements of long tuples.
  for (auto from = text.find("/*"); from != std::string::npos; from = text.find("/*", from)) {
    const auto to = text.find("*/", from);
    text.erase(from, to == std::string::npos ? to : to + 2 - from);
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

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
