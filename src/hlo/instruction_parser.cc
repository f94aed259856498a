// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/plural.h"
#include "hlo/literal_reader.h"
#include "hlo/module_parser.h"
#include "hlo/spelling.h"
#include "hlo/verify/verify.h"
#include "tessera/text/xla_shape.h"

namespace tessera::detail {
namespace {

constexpr int kMaxDepth =
    200;  // of operands and computations written in place: each costs several stack frames
constexpr std::size_t kMaxSuggestions = 20;  // looking for a similar name reads all of them

// The operation of `slice-start` and its like, where it is one of ours.
std::optional<Opcode> wrapped_opcode(std::string_view text) {
  constexpr std::pair<std::string_view, Opcode> kSuffixes[] = {
      {"-start", Opcode::async_start}, {"-update", Opcode::async_update}, {"-done", Opcode::async_done}};
  for (const auto& [suffix, opcode] : kSuffixes) {
    if (text.ends_with(suffix) && parse_opcode(text.substr(0, text.size() - suffix.size()))) return opcode;
  }
  return std::nullopt;
}

}  // namespace

void ModuleParser::broken(Instruction& instruction, Code code, std::string message, Span span,
                          std::string help) {
  instruction.sound = false;
  report(code, std::move(message), span, std::move(help));
}

void ModuleParser::add_instruction(std::unique_ptr<Instruction> instruction, Computation& computation) {
  instruction->index = static_cast<std::uint32_t>(computation.instructions.size());
  if (!instruction->name.empty()) computation.names.insert(instruction->name, instruction->index);
  computation.instructions.push_back(std::move(instruction));
}

// False on an error of the grammar: what could be read is kept, marked as broken.
bool ModuleParser::parse_instruction(Computation& computation) {
  const std::size_t begin = lexer_.position();
  auto instruction = std::make_unique<Instruction>();
  instruction->parent = &computation;
  Instruction& line = *instruction;
  const bool readable = parse_line(line, computation);
  line.span = span_from(begin);
  if (!readable) line.sound = false;
  // Without a name there is nothing to refer to.
  if (readable || !line.name.empty()) add_instruction(std::move(instruction), computation);
  return readable;
}

bool ModuleParser::parse_line(Instruction& instruction, Computation& computation) {
  const std::size_t begin = lexer_.position();
  if (at_word("ROOT")) {
    lexer_.advance(4);
    if (computation.root != nullptr) {
      broken(instruction, Code::duplicate_name,
             fmt::format("a second ROOT; the first is '{}'", computation.root->name), span_from(begin),
             "mark one instruction only");
    } else {
      instruction.is_root = true;
      computation.root = &instruction;
    }
  }
  std::string_view name;
  Span span;
  if (!parse_name(name, span, "an instruction 'name = type opcode(...)' or '}'")) {
    if (instruction.is_root) computation.root = nullptr;
    return false;
  }
  instruction.type = HloType::unreadable();
  if (!lexer_.skip()) return false;
  if (lexer_.peek() != '=') {
    if (instruction.is_root) computation.root = nullptr;
    const std::size_t here = lexer_.position();
    lexer_.seek(span.begin);
    at_computation_ = lexer_.at_computation();
    if (at_computation_) return false;  // the brace in front of it was forgotten
    lexer_.seek(here);
    return lexer_.expected(fmt::format("'=' behind the name '{}'", name));
  }
  lexer_.advance(1);
  instruction.name = name;
  if (const auto earlier = computation.names.find(name); earlier != NameTable::kNone) {
    const Position at = module_.source->position(computation.instructions[earlier]->span.begin);
    broken(instruction, Code::duplicate_name, fmt::format("'{}' is defined twice", name), span,
           fmt::format("the first one is in line {}; give this one another name", at.line));
  }
  if (!lexer_.skip()) return false;
  const bool has_type = at_type();
  if (has_type) {
    const std::size_t from = lexer_.position();
    HloType type;
    if (parse_type(type)) {
      instruction.type = std::move(type);
      check_type(instruction, span_from(from));
    } else if (!skip_unread_type(instruction, from)) {
      return false;
    }
  }
  return parse_operation(instruction, computation, has_type) && parse_attributes(instruction, computation);
}

// A type whose layout is nonsense keeps its dimensions, one that is too large keeps nothing.
void ModuleParser::check_type(Instruction& instruction, Span span) {
  auto bad = validate(instruction.type);
  if (!bad) return;
  instruction.sound = false;
  bad->span = span;
  if (instruction.type.is_array() && bad->code != Code::overflow) {
    TensorType type = instruction.type.array();
    if (bad->code == Code::m2m_range || bad->code == Code::m2m_duplicate) {
      std::string order;
      for (const Index dim : descending_order(type.rank()))
        order += fmt::format("{}{}", order.empty() ? "" : ",", dim);
      bad->help =
          fmt::format("a layout lists every dimension once, fastest first: {{{}}} is the default", order);
    }
    type.layout = nullptr;
    instruction.type = HloType(std::move(type));
  } else {
    instruction.type = HloType::unreadable();
  }
  sink_.add(*std::move(bad));
}

// An element type that does not exist is no reason to lose the rest of the line: go on behind the type.
bool ModuleParser::skip_unread_type(Instruction& instruction, std::size_t from) {
  if (lexer_.ran_out() || lexer_.error->code == Code::syntax) return false;
  report_lexer_error();
  instruction.sound = false;
  lexer_.seek(from);
  while (!is_blank(lexer_.peek())) {
    const char next = lexer_.peek();
    if (next == '\0') return false;
    if (next == '(' || next == '[' || next == '{') {
      if (!lexer_.skip_brackets()) return false;
    } else {
      lexer_.advance(1);
    }
  }
  instruction.unread_type = lexer_.between(from, lexer_.position());
  return true;
}

// A type begins with '(' or with a word in front of '[' (b(...) is a buffer).
bool ModuleParser::at_type() {
  if (lexer_.peek() == '(') return true;
  const std::size_t begin = lexer_.position();
  const std::string_view word = lexer_.identifier();
  if (word.empty()) return false;
  while (is_blank(lexer_.peek())) lexer_.advance(1);
  const char next = lexer_.peek() == '/' && !lexer_.skip() ? '\0' : lexer_.peek();
  lexer_.seek(begin);
  return next == '[' || (next == '(' && word == "b");
}

bool ModuleParser::parse_type(HloType& out) {
  const auto end = read_hlo_type_at(text_, lexer_.position(), out);
  if (end) {
    lexer_.seek(*end);
    return true;
  }
  lexer_.seek(end.error().span.begin);
  lexer_.error = end.error();
  if (!lexer_.skip()) lexer_.advance(lexer_.rest().size());  // a comment without an end: there is no more
  return false;
}

bool ModuleParser::parse_opcode_word(Instruction& instruction) {
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  instruction.opcode_text = lexer_.identifier();
  instruction.opcode_span = span_from(begin);
  if (instruction.opcode_text.empty()) return lexer_.expected("an opcode");
  if (const auto opcode = parse_opcode(instruction.opcode_text)) {
    instruction.opcode = *opcode;
  } else if (const auto wrapped = wrapped_opcode(instruction.opcode_text)) {
    instruction.opcode = *wrapped;
  } else {
    const std::string_view near = similar_opcode(instruction.opcode_text);
    broken(instruction, Code::unknown_opcode,
           fmt::format("opcode '{}' is not known; the instruction is kept, but nothing follows from it",
                       instruction.opcode_text.substr(0, 80)),
           instruction.opcode_span, near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  return true;
}

bool ModuleParser::parse_operation(Instruction& instruction, Computation& computation, bool has_type) {
  if (!parse_opcode_word(instruction)) return false;
  if (!lexer_.accept('(')) {
    return lexer_.need('(', fmt::format("'(' and the operands of {}", instruction.opcode_text));
  }
  if (instruction.opcode == Opcode::constant) {
    if (!parse_literal(instruction, has_type)) return false;
  } else if (instruction.opcode == Opcode::parameter) {
    if (!parse_parameter_number(instruction)) return false;
  } else if (!parse_operands(instruction, computation)) {
    return false;
  }
  return true;
}

bool ModuleParser::parse_parameter_number(Instruction& instruction) {
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  Index number = -1;
  if (!lexer_.integer(number, "the number of the parameter")) return false;
  if (number < 0) {
    broken(instruction, Code::index_out_of_range, fmt::format("parameter number {} is negative", number),
           span_from(begin));
    number = -1;
  }
  instruction.parameter_number = number;
  return lexer_.need(')', "')' behind the parameter's number");
}

bool ModuleParser::parse_literal(Instruction& instruction, bool has_type) {
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  if (!has_type) {
    return lexer_.fail_at(instruction.opcode_span.begin, Code::syntax,
                          "the type of a constant must be written", instruction.opcode_text.size());
  }
  if (instruction.type.kind() == HloType::Kind::unreadable || !read_literal(lexer_, instruction.type)) {
    // A literal that does not fit its type is no reason to lose the rest of the line: go on behind its
    // bracket.
    if (lexer_.error && (lexer_.ran_out() || lexer_.error->code == Code::syntax)) return false;
    report_lexer_error();
    instruction.sound = false;
    lexer_.seek(instruction.opcode_span.end);
    if (!lexer_.skip() || !lexer_.skip_brackets()) return false;
    instruction.literal = lexer_.between(begin, lexer_.position() - 1);
    return true;
  }
  instruction.literal = lexer_.between(begin, lexer_.position());
  return lexer_.need(')', "')' behind the literal");
}

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
    if (!parse_type(type.emplace())) return false;
    type_span = span_from(begin);
    if (auto bad = validate(*type)) {
      instruction.sound = false;
      bad->span = type_span;
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
  if (depth_ >= kMaxDepth) {
    return lexer_.fail(Code::limit, fmt::format("operands nest deeper than {} levels", kMaxDepth));
  }
  auto nested = std::make_unique<Instruction>();
  nested->parent = &computation;
  const bool typed = type.has_value();
  nested->type = typed ? *std::move(type) : HloType::unreadable();
  ++depth_;
  const bool readable = parse_operation(*nested, computation, typed);
  --depth_;
  nested->span = span_from(begin);
  if (!readable) return false;
  if (!typed) infer_missing_type(*nested, sink_);
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
    if (!lexer_.integer(path.emplace_back(), "the number of a tuple element behind '#'")) return false;
  }
  if (lexer_.error) return false;
  operand.span = span_from(begin);
  const std::uint32_t place = computation.names.find(name);
  if (place == NameTable::kNone) {
    std::string help;
    if (sink_.errors() < kMaxSuggestions) {
      std::string_view near = name == instruction.name ? std::string_view() : similar_name(name, computation);
      if (!near.empty()) help = fmt::format("did you mean '{}'?", near);
    }
    if (help.empty()) help = "operands are written before they are used, in the same computation";
    broken(instruction, Code::unknown_name, fmt::format("no instruction '{}' comes before this one", name),
           operand.span, std::move(help));
    return true;
  }
  operand.instruction = computation.instructions[place].get();
  if (!path.empty() && !find_part(instruction, operand, path)) return true;
  if (written != nullptr && !compatible(*written, operand.type())) {
    broken(instruction, Code::shape_mismatch,
           fmt::format("operand '{}' is written as {}, but it is {}", name, short_text(*written),
                       short_text(operand.type())),
           written_span);
  }
  instruction.operands.push_back(operand);
  return true;
}

// The part `#1#0` of a tuple in a tuple. False where there is none, which is reported.
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
             part->is_tuple()
                 ? fmt::format("'{}' has {}, there is no number {}", outer, plural(count, "element"), path[i])
                 : fmt::format("'{}' is {}, not a tuple", outer, short_text(*part)),
             operand.span);
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

bool ModuleParser::parse_attributes(Instruction& instruction, Computation& computation) {
  const bool typed = instruction.type.kind() != HloType::Kind::unreadable || !instruction.sound;
  std::optional<std::unordered_set<std::string_view>> keys;
  while (lexer_.accept(',')) {
    if (!parse_attribute(instruction, computation)) return false;
    const Attribute& latest = instruction.attributes.back();
    // A handful is compared directly; many (only hostile text has them) go through a set.
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
      broken(instruction, Code::duplicate_name, fmt::format("attribute '{}' is given twice", latest.key),
             {begin, begin + static_cast<std::uint32_t>(latest.key.size())});
    }
  }
  if (lexer_.error) return false;
  if (!typed) infer_missing_type(instruction, sink_);
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
  const AttributeForm form = attribute_form(attribute.key);
  if (form == AttributeForm::unknown) {
    sink_.add({.code = Code::unknown_attribute,
               .message = fmt::format("attribute '{}' is not known; it is kept as it stands", attribute.key),
               .span = key_span,
               .severity = Severity::warning});
  } else if (!takes_attribute(instruction.opcode, instruction.opcode_text, attribute.key)) {
    sink_.add({.code = Code::unknown_attribute,
               .message = fmt::format("attribute '{}' says nothing about {}; it is kept as it stands",
                                      attribute.key, instruction.opcode_text),
               .span = key_span,
               .severity = Severity::warning,
               .help = fmt::format("it belongs to {}", attribute_owners(attribute.key))});
  }
  const std::size_t place = instruction.attributes.size();
  if (place == 0) instruction.attributes.reserve(2);  // its own and metadata
  instruction.attributes.push_back(attribute);
  const bool read =
      form == AttributeForm::computation ? parse_computation_value(instruction) : skip_value(form);
  Attribute& kept = instruction.attributes[place];
  kept.span = span_from(begin);
  kept.value = lexer_.between(begin, lexer_.position());
  return read && (form != AttributeForm::names || check_predecessors(instruction, computation, kept.span));
}

// {%a, %b}: instructions that come before this one.
bool ModuleParser::check_predecessors(Instruction& instruction, Computation& computation, Span value) {
  const std::size_t behind = lexer_.position();
  lexer_.seek(value.begin);
  if (!lexer_.need('{', "'{' and instruction names")) return false;
  bool more = !lexer_.accept('}');
  while (more) {
    std::string_view name;
    Span span;
    if (!parse_name(name, span, "an instruction name")) return false;
    if (computation.names.find(name) == NameTable::kNone) {
      broken(instruction, Code::unknown_name, fmt::format("no instruction '{}' comes before this one", name),
             span);
    }
    more = lexer_.accept(',');
    if (!more && !lexer_.need('}', "',' or '}' behind an instruction name")) return false;
  }
  lexer_.seek(behind);
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
  return lexer_.need('}', "',' or '}' behind a computation name");
}

bool ModuleParser::parse_computation_name(Instruction& instruction) {
  std::string_view name;
  Span span;
  if (!parse_name(name, span, "a computation name")) return false;
  const std::uint32_t place = module_.names.find(name);
  if (place == NameTable::kNone) {
    std::string_view near =
        sink_.errors() < kMaxSuggestions ? similar_name(name, module_) : std::string_view();
    broken(instruction, Code::unknown_name, fmt::format("no computation '{}' comes before this one", name),
           span,
           near.empty() ? "computations are written before they are used"
                        : fmt::format("did you mean '{}'?", near));
    return true;
  }
  instruction.called.push_back(module_.computations[place].get());
  return true;
}

bool ModuleParser::parse_anonymous_computation(Instruction& instruction) {
  if (depth_ >= kMaxDepth) {
    return lexer_.fail(Code::limit, fmt::format("computations nest deeper than {} levels", kMaxDepth));
  }
  auto computation = std::make_unique<Computation>();
  const std::size_t begin = lexer_.position();
  ++depth_;
  parse_body(*computation, true);
  --depth_;
  computation->span = span_from(begin);
  instruction.called.push_back(computation.get());
  anonymous_.push_back({&instruction, instruction.attributes.size() - 1, computation.get()});
  module_.computations.push_back(std::move(computation));
  return !lexer_.error.has_value();
}

}  // namespace tessera::detail
