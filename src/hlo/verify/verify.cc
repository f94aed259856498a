// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/verify.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "hlo/attribute_forms.h"
#include "hlo/verify/rule.h"
#include "tessera/text/xla_shape.h"

namespace tessera::detail {
namespace {

bool has_unreadable(const HloType& type) {
  return type.kind() == HloType::Kind::unreadable || std::ranges::any_of(type.elements(), has_unreadable);
}

bool has_unbounded(const HloType& type) {
  if (std::ranges::find(type.array().dim_kinds, DimKind::unbounded) != type.array().dim_kinds.end())
    return true;
  return std::ranges::any_of(type.elements(), has_unbounded);
}

// Every attribute has its form, also where the opcode's rule does not read it.
Problem check_forms(const Instruction& instruction) {
  for (const Attribute& attribute : instruction.attributes) {
    if (auto problem = check_form(attribute, attribute_form(attribute.key))) return problem;
  }
  return std::nullopt;
}

template <class Property>
bool any_operand(const Instruction& instruction, Property property) {
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (property(instruction.operand_type(i))) return true;
  }
  return false;
}

// A property of types, remembered of tuples: one of a thousand elements has a thousand readers.
class Remembered {
 public:
  explicit Remembered(bool (*property)(const HloType&)) : property_(property) {}
  bool operator()(const HloType& type) {
    if (!type.is_tuple()) return property_(type);
    const auto [found, is_new] = known_.try_emplace(&type, false);
    if (is_new) found->second = property_(type);
    return found->second;
  }

 private:
  bool (*property_)(const HloType&);
  std::unordered_map<const HloType*, bool> known_;
};

}  // namespace

bool compatible(const HloType& a, const HloType& b) {
  if (a.kind() == HloType::Kind::unreadable || b.kind() == HloType::Kind::unreadable) return true;
  if (a.kind() != b.kind()) return false;
  if (a.kind() != HloType::Kind::array) return std::ranges::equal(a.elements(), b.elements(), compatible);
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
  // The printer counts the elements of long tuples in comments, which a message has no room for.
  for (auto from = text.find("/*"); from != std::string::npos; from = text.find("/*", from)) {
    const auto to = text.find("*/", from);
    text.erase(from, to == std::string::npos ? to : to + 2 - from);
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

void infer_missing_type(Instruction& instruction, DiagnosticSink& sink) {
  if (!instruction.sound || any_operand(instruction, has_unreadable)) {
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
  Remembered unreadable(has_unreadable);
  Remembered unbounded(has_unbounded);
  for (const auto& computation : module.computations) {
    for (const auto& instruction : computation->instructions) {
      if (!instruction->sound) continue;
      if (any_operand(*instruction, std::ref(unreadable))) {  // reported where the operand stands
        instruction->sound = false;
        continue;
      }
      auto problem = check_forms(*instruction);
      const bool open = has_unbounded(instruction->type) || any_operand(*instruction, std::ref(unbounded));
      if (!problem && !open) problem = check_instruction(Rule(*instruction));
      if (problem) {
        instruction->sound = false;
        sink.add(*std::move(problem));
      }
    }
  }
}

}  // namespace tessera::detail
