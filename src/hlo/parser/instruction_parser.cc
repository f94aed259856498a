// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <utility>

#include "hlo/check/types.h"
#include "hlo/limits.h"
#include "hlo/parser/module_parser.h"
#include "hlo/syntax/literal_reader.h"
#include "hlo/syntax/spelling.h"
#include "hlo/verify/verify.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {
namespace {

// The opcode that `slice-start` and similar texts start, if it is known.
std::optional<Opcode> wrapped_opcode(std::string_view text) {
  constexpr std::pair<std::string_view, Opcode> kSuffixes[] = {
      {"-start", Opcode::async_start}, {"-update", Opcode::async_update}, {"-done", Opcode::async_done}};
  for (const auto& [suffix, opcode] : kSuffixes) {
    if (text.ends_with(suffix) && parse_opcode(text.substr(0, text.size() - suffix.size()))) return opcode;
  }
  return std::nullopt;
}

}  // namespace

void ModuleParser::add_instruction(std::unique_ptr<Instruction> instruction, Computation& computation) {
  instruction->index = static_cast<std::uint32_t>(computation.instructions.size());
  if (!instruction->name.empty()) computation.names.insert(instruction->name, instruction->index);
  computation.instructions.push_back(std::move(instruction));
}

// Returns false on a syntax error; the readable part is then kept and marked as broken.
bool ModuleParser::parse_instruction(Computation& computation) {
  const std::size_t begin = lexer_.position();
  auto instruction = std::make_unique<Instruction>();
  instruction->parent = &computation;
  Instruction& line = *instruction;
  const bool readable = parse_line(line, computation);
  line.span = span_from(begin);
  if (!readable) line.sound = false;
  if (readable || !line.name.empty()) {
    add_instruction(std::move(instruction), computation);
  } else if (computation.root == &line) {  // an unnamed root is dropped
    computation.root = nullptr;
  }
  return readable;
}

bool ModuleParser::parse_line(Instruction& instruction, Computation& computation) {
  const std::size_t begin = lexer_.position();
  if (at_word("ROOT")) {
    lexer_.advance(4);
    if (computation.root != nullptr) {
      broken(instruction, Code::duplicate_name,
             fmt::format("'{}' is already the ROOT", computation.root->name), span_from(begin),
             "mark only one instruction");
    } else {
      instruction.is_root = true;
      computation.root = &instruction;
    }
  }
  std::string_view name;
  Span span;
  if (!parse_name(name, span, "an instruction 'name = type opcode(...)' or '}'")) return false;
  instruction.type = HloType::unreadable();
  if (!lexer_.skip()) return false;
  if (lexer_.peek() != '=') {
    const std::size_t here = lexer_.position();
    lexer_.seek(span.begin);
    at_computation_ = lexer_.at_computation();
    if (at_computation_) return false;  // the closing brace before it is missing
    lexer_.seek(here);
    return lexer_.expected(fmt::format("'=' after the name '{}'", name));
  }
  lexer_.advance(1);
  instruction.name = name;
  if (const auto earlier = computation.names.find(name); earlier != NameTable::kNone) {
    const Position at = module_.source->position(computation.instructions[earlier]->span.begin);
    broken(instruction, Code::duplicate_name, fmt::format("'{}' is already defined", name), span,
           fmt::format("the first is on line {}; rename one of them", at.line));
  }
  if (!lexer_.skip()) return false;
  const bool has_type = at_type();
  if (has_type) {
    const std::size_t from = lexer_.position();
    HloType type;
    bool valid = false;
    if (parse_type(type, &valid)) {
      instruction.type = std::move(type);
      if (!valid) check_type(instruction, span_from(from));
    } else if (!skip_unread_type(instruction, from)) {
      return false;
    }
  }
  return parse_operation(instruction, computation, has_type) && parse_attributes(instruction, computation);
}

// Reports the error in a written type. A type with a bad layout keeps its dimensions; one that is too large
// is dropped.
void ModuleParser::check_type(Instruction& instruction, Span span) {
  auto bad = validate_written(instruction.type, lexer_.between(span.begin, span.end), span.begin);
  if (!bad) return;
  instruction.sound = false;
  if (instruction.type.is_array() && bad->code != Code::overflow) {
    TensorType type = instruction.type.array();
    if (bad->code == Code::m2m_range || bad->code == Code::m2m_duplicate) {
      std::string order;
      for (const Index dim : descending_order(type.rank()))
        order += fmt::format("{}{}", order.empty() ? "" : ",", dim);
      bad->help = fmt::format("list every dimension once, fastest first: {{{}}} is the default", order);
    }
    type.layout = nullptr;
    instruction.type = HloType(std::move(type));
  } else {
    instruction.type = HloType::unreadable();
  }
  sink_.add(*std::move(bad));
}

// Infers the type of an instruction that omits it.
void ModuleParser::infer_type(Instruction& instruction) {
  infer_missing_type(instruction, sink_);
  const std::uint64_t most = kHloLimits.parser.inferred_arrays + text_.size();
  const bool deep = instruction.type.depth() > kHloLimits.parser.inferred_depth;
  if (instruction.type.is_tuple()) {
    const std::uint64_t arrays = instruction.type.leaf_count();
    inferred_arrays_ = arrays > most ? most + 1 : inferred_arrays_ + arrays;
  }
  if (!deep && inferred_arrays_ <= most) return;
  broken(instruction, Code::limit,
         deep ? fmt::format("the inferred type nests deeper than {} levels", kHloLimits.parser.inferred_depth)
              : fmt::format("the omitted types contain more than {} arrays", most),
         instruction.opcode_span, "tuples of tuples grow with each line: write the types");
  instruction.type = HloType::unreadable();
}

// Skips a type with an unknown element type, so that the rest of the line can be read.
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

// A type begins with '(' or with a word before '[' (b(...) is a buffer).
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

bool ModuleParser::parse_type(HloType& out, bool* valid) {
  const std::string_view text = TypeTexts::extent(lexer_.rest());
  const HloType* const known = text.empty() ? nullptr : types_.find(text);
  if (valid != nullptr) *valid = known != nullptr;
  if (known != nullptr) {
    out = *known;
    lexer_.advance(text.size());
    return true;
  }
  const auto end = read_hlo_type_at(text_, lexer_.position(), out);
  if (end) {
    if (!text.empty() && *end == lexer_.position() + text.size() && !validate(out)) types_.add(text, out);
    lexer_.seek(*end);
    return true;
  }
  lexer_.seek(end.error().span.begin);
  lexer_.error = end.error();
  if (!lexer_.skip()) lexer_.advance(lexer_.rest().size());  // an unterminated comment
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
           fmt::format("unknown opcode '{}'; the instruction is kept but not analyzed",
                       instruction.opcode_text.substr(0, 80)),
           instruction.opcode_span,
           near.empty() ? "opcodes are lower case with hyphens; a custom operation is a custom-call"
                        : fmt::format("did you mean '{}'?", near));
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
  return lexer_.need(')', "')' after the parameter's number");
}

bool ModuleParser::parse_literal(Instruction& instruction, bool has_type) {
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  if (!has_type) {
    return lexer_.fail_at(instruction.opcode_span.begin, Code::syntax,
                          "the type of a constant must be written", instruction.opcode_text.size());
  }
  if (instruction.type.kind() == HloType::Kind::unreadable || !read_literal(lexer_, instruction.type)) {
    // After a literal that does not match its type, the rest of the line is still read.
    if (lexer_.error && (lexer_.ran_out() || lexer_.error->code == Code::syntax)) return false;
    report_lexer_error();
    instruction.sound = false;
    lexer_.seek(instruction.opcode_span.end);
    if (!lexer_.skip() || !lexer_.skip_brackets()) return false;
    instruction.literal = lexer_.between(begin, lexer_.position() - 1);
    return true;
  }
  instruction.literal = lexer_.between(begin, lexer_.position());
  return lexer_.need(')', "')' after the literal");
}

}  // namespace tessera::detail
