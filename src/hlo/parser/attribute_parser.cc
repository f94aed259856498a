// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "hlo/limits.h"
#include "hlo/parser/module_parser.h"
#include "hlo/syntax/spelling.h"

namespace tessera::detail {

// Reports a missing comma before a known attribute on the line of the operands, as in `negate(a)
// metadata={}`.
bool ModuleParser::skip_missing_comma(Instruction& instruction) {
  const std::size_t begin = lexer_.position();
  while (lexer_.peek() == ' ') lexer_.advance(1);
  const std::size_t key_begin = lexer_.position();
  const std::string_view key = lexer_.identifier();
  const bool found = !key.empty() && lexer_.peek() == '=' && attribute_form(key) != AttributeForm::unknown;
  if (found) {
    broken(instruction, Code::syntax, fmt::format("a ',' is missing before the attribute '{}'", key),
           span_from(key_begin), fmt::format("write ', {}=...'", key));
  }
  lexer_.seek(found ? key_begin : begin);
  return found;
}

bool ModuleParser::parse_attributes(Instruction& instruction, Computation& computation) {
  const bool typed = instruction.type.kind() != HloType::Kind::unreadable || !instruction.sound;
  std::optional<std::unordered_set<std::string_view>> keys;
  while (lexer_.accept(',') || (!lexer_.error && skip_missing_comma(instruction))) {
    if (!parse_attribute(instruction, computation)) return false;
    const Attribute& latest = instruction.attributes.back();
    // A few attributes are compared directly; many, which occur only in hostile text, through a set.
    constexpr std::size_t kFew = 24;
    const std::size_t count = instruction.attributes.size();
    bool twice = false;
    if (count <= kFew) {
      for (std::size_t i = 0; i + 1 < count; ++i) twice |= instruction.attributes[i].key == latest.key;
    } else {
      if (!keys) {
        keys.emplace();
        for (std::size_t i = 0; i + 1 < count; ++i) keys->insert(instruction.attributes[i].key);
      }
      twice = !keys->insert(latest.key).second;
    }
    if (twice) {
      const auto begin = static_cast<std::uint32_t>(latest.key.data() - text_.data());
      broken(instruction, Code::duplicate_name, fmt::format("attribute '{}' occurs twice", latest.key),
             {begin, begin + static_cast<std::uint32_t>(latest.key.size())}, "remove one of the two");
    }
  }
  if (lexer_.error) return false;
  if (!typed) infer_type(instruction);
  return true;
}

bool ModuleParser::parse_attribute(Instruction& instruction, Computation& computation) {
  if (!lexer_.skip()) return false;
  const std::size_t key_begin = lexer_.position();
  Attribute attribute;
  attribute.key = lexer_.identifier();
  if (attribute.key.empty() || lexer_.peek() != '=') {
    lexer_.seek(key_begin);
    return lexer_.expected("an attribute 'key=value'");
  }
  const Span key_span = span_from(key_begin);
  lexer_.advance(1);
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  const AttributeKey known(attribute.key);
  const AttributeForm form = known.form();
  if (form == AttributeForm::unknown) {
    sink_.add({.code = Code::unknown_attribute,
               .message = fmt::format("unknown attribute '{}', kept as written", attribute.key),
               .span = key_span,
               .severity = Severity::warning});
  } else if (!known.taken_by(instruction.opcode, instruction.opcode_text)) {
    sink_.add({.code = Code::unknown_attribute,
               .message = fmt::format("{1} takes no attribute '{0}', kept as written", attribute.key,
                                      instruction.opcode_text),
               .span = key_span,
               .severity = Severity::warning,
               .help = fmt::format("the attribute belongs to {}", known.owners())});
  }
  const std::size_t place = instruction.attributes.size();
  if (place == 0) instruction.attributes.reserve(2);  // usually one attribute besides metadata
  instruction.attributes.push_back(attribute);
  const bool read =
      form == AttributeForm::computation ? parse_computation_value(instruction) : skip_value(form);
  Attribute& kept = instruction.attributes[place];
  kept.span = span_from(begin);
  kept.value = lexer_.between(begin, lexer_.position());
  return read && (form != AttributeForm::names || check_predecessors(instruction, computation, kept.span));
}

// Checks `{%a, %b}`, the instructions that must precede this one.
bool ModuleParser::check_predecessors(Instruction& instruction, Computation& computation, Span value) {
  const std::size_t after = lexer_.position();
  lexer_.seek(value.begin);
  if (!lexer_.need('{', "'{' and instruction names")) return false;
  bool more = !lexer_.accept('}');
  while (more) {
    std::string_view name;
    Span span;
    if (!parse_name(name, span, "an instruction name")) return false;
    if (computation.names.find(name) == NameTable::kNone) {
      broken(instruction, Code::unknown_name, fmt::format("unknown instruction '{}'", name), span);
    }
    more = lexer_.accept(',');
    if (!more && !lexer_.need('}', "',' or '}' after an instruction name")) return false;
  }
  lexer_.seek(after);
  return true;
}

// `name`, `{name, name}` or `{ instructions }`.
bool ModuleParser::parse_computation_value(Instruction& instruction) {
  if (lexer_.peek() != '{') return parse_computation_name(instruction);
  lexer_.advance(1);
  if (lexer_.accept('}')) return true;
  if (!lexer_.skip()) return false;
  if (lexer_.at_instruction()) return parse_anonymous_computation(instruction);
  do {
    if (!parse_computation_name(instruction)) return false;
  } while (lexer_.accept(','));
  return lexer_.need('}', "',' or '}' after a computation name");
}

bool ModuleParser::parse_computation_name(Instruction& instruction) {
  std::string_view name;
  Span span;
  if (!parse_name(name, span, "a computation name")) return false;
  const std::uint32_t place = module_.names.find(name);
  if (place == NameTable::kNone) {
    std::string_view near =
        sink_.errors() < kHloLimits.parser.suggestions ? similar_name(name, module_) : std::string_view();
    broken(instruction, Code::unknown_name, fmt::format("unknown computation '{}'", name), span,
           near.empty() ? "computations must be defined before they are used"
                        : fmt::format("did you mean '{}'?", near));
    return true;
  }
  add_call(instruction, *module_.computations[place], span);
  return true;
}

// A call that nests too deep is left out.
void ModuleParser::add_call(Instruction& instruction, Computation& called, Span span) {
  const auto found = call_heights_.find(&called);
  const std::uint32_t height = found == call_heights_.end() ? 1 : found->second + 1;
  if (height > kHloLimits.parser.call_height) {
    broken(instruction, Code::limit,
           fmt::format("calls nest deeper than {} levels", kHloLimits.parser.call_height), span,
           "write the operations of some of the inner computations in place of the calls");
    return;
  }
  std::uint32_t& own = call_heights_[instruction.parent];
  own = std::max(own, height);
  instruction.called.push_back(&called);
}

bool ModuleParser::parse_anonymous_computation(Instruction& instruction) {
  if (depth_ >= kHloLimits.parser.depth) {
    return lexer_.fail(Code::limit,
                       fmt::format("computations nest deeper than {} levels", kHloLimits.parser.depth));
  }
  auto computation = std::make_unique<Computation>();
  const std::size_t begin = lexer_.position();
  ++depth_;
  parse_body(*computation, true);
  --depth_;
  computation->span = span_from(begin);
  add_call(instruction, *computation, computation->span);
  anonymous_.push_back({&instruction, instruction.attributes.size() - 1, computation.get()});
  module_.computations.push_back(std::move(computation));
  return !lexer_.error.has_value();
}

}  // namespace tessera::detail
