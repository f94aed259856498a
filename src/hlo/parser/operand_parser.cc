// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <utility>

#include "base/plural.h"
#include "hlo/check/types.h"
#include "hlo/limits.h"
#include "hlo/parser/module_parser.h"
#include "hlo/syntax/spelling.h"

namespace tessera::detail {

bool ModuleParser::parse_operands(Instruction& instruction, Computation& computation) {
  if (lexer_.accept(')')) return true;
  instruction.operands.reserve(2);
  do {
    if (!parse_operand(instruction, computation)) return false;
  } while (lexer_.accept(','));
  return lexer_.accept(')') ||
         lexer_.need(')', fmt::format("',' or ')' in the operands of {}", instruction.opcode_text));
}

bool ModuleParser::parse_operand(Instruction& instruction, Computation& computation) {
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  if (lexer_.peek() == '%') return parse_reference(instruction, computation, nullptr, {});
  std::optional<HloType> type;
  Span type_span;
  if (at_type()) {
    bool valid = false;
    if (!parse_type(type.emplace(), &valid)) return false;
    type_span = span_from(begin);
    auto bad = valid ? std::nullopt : validate_written(*type, lexer_.between(begin, type_span.end), begin);
    if (bad) {
      instruction.sound = false;
      sink_.add(*std::move(bad));
    }
    if (!lexer_.skip()) return false;
  }
  const std::size_t word_begin = lexer_.position();
  const bool word = !lexer_.identifier().empty();
  const bool nested = word && lexer_.skip() && lexer_.peek() == '(';
  if (lexer_.error) return false;
  lexer_.seek(word_begin);
  if (nested) return parse_nested(instruction, computation, std::move(type), begin);
  return parse_reference(instruction, computation, type ? &*type : nullptr, type_span);
}

bool ModuleParser::parse_nested(Instruction& instruction, Computation& computation,
                                std::optional<HloType> type, std::size_t begin) {
  if (depth_ >= kHloLimits.parser.depth) {
    return lexer_.fail(Code::limit,
                       fmt::format("operands nest deeper than {} levels", kHloLimits.parser.depth));
  }
  auto nested = std::make_unique<Instruction>();
  nested->parent = &computation;
  const bool typed = type.has_value();
  nested->type = typed ? *std::move(type) : HloType::unreadable();
  ++depth_;
  const bool readable = parse_operation(*nested, computation, typed);
  --depth_;
  nested->span = span_from(begin);
  if (!readable) {
    computation.lost_operands.erase(nested.get());
    return false;
  }
  if (!typed) infer_type(*nested);
  instruction.operands.push_back({.instruction = nested.get(), .span = nested->span});
  if (!nested->sound) instruction.sound = false;
  add_instruction(std::move(nested), computation);
  return true;
}

bool ModuleParser::parse_reference(Instruction& instruction, Computation& computation, const HloType* written,
                                   Span written_span) {
  const std::size_t begin = lexer_.position();
  std::string_view name;
  Operand operand;
  if (!parse_name(name, operand.span, "an operand")) return false;
  std::vector<Index> path;
  while (lexer_.accept('#')) {
    if (!lexer_.integer(path.emplace_back(), "the number of a tuple element after '#'")) return false;
  }
  if (lexer_.error) return false;
  operand.span = span_from(begin);
  const std::uint32_t place = computation.names.find(name);
  if (place == NameTable::kNone) {
    std::string help;
    if (sink_.errors() < kHloLimits.parser.suggestions) {
      std::string_view near = name == instruction.name ? std::string_view() : similar_name(name, computation);
      if (!near.empty()) help = fmt::format("did you mean '{}'?", near);
    }
    if (help.empty()) help = "operands must be defined earlier in the same computation";
    broken(instruction, Code::unknown_name, fmt::format("unknown instruction '{}'", name), operand.span,
           std::move(help));
    lose_operand(instruction, computation, name);
    return true;
  }
  operand.instruction = computation.instructions[place].get();
  if (!path.empty() && !find_part(instruction, operand, path)) {
    lose_operand(instruction, computation, name);
    return true;
  }
  if (written != nullptr && !compatible(*written, operand.type())) {
    broken(instruction, Code::shape_mismatch,
           fmt::format("operand '{}' is written as {}, but it is {}", name, short_text(*written),
                       short_text(operand.type())),
           written_span);
  }
  instruction.operands.push_back(operand);
  return true;
}

void ModuleParser::lose_operand(const Instruction& instruction, Computation& computation,
                                std::string_view name) {
  auto& lost = computation.lost_operands[&instruction];
  lost.push_back({static_cast<std::uint32_t>(instruction.operands.size() + lost.size()), name});
}

// Finds the element `#1#0` of nested tuples. Reports an index out of range and returns false.
bool ModuleParser::find_part(Instruction& instruction, Operand& operand, std::span<const Index> path) {
  const HloType* part = &operand.instruction->type;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (part->kind() == HloType::Kind::unreadable) {
      instruction.sound = false;
      return false;
    }
    const std::size_t count = part->is_tuple() ? part->elements().size() : 0;
    if (static_cast<std::uint64_t>(path[i]) >= count) {
      std::string outer(operand.instruction->name);
      for (const Index index : path.first(i)) outer += fmt::format("#{}", index);
      broken(instruction, Code::index_out_of_range,
             part->is_tuple() ? fmt::format("'{}' has {}, so index {} is out of range", outer,
                                            plural(count, "element"), path[i])
                              : fmt::format("'{}' is {}, not a tuple", outer, short_text(*part)),
             operand.span, part->is_tuple() ? "count from 0" : "");
      return false;
    }
    part = &part->elements()[static_cast<std::size_t>(path[i])];
  }
  operand.tuple_index = static_cast<std::int32_t>(path[0]);
  for (std::size_t i = path.size(); i-- > 1;) {
    operand.inner = &*module_.tuple_steps.insert({static_cast<std::int32_t>(path[i]), operand.inner}).first;
  }
  return true;
}

}  // namespace tessera::detail
