// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "hlo/check/types.h"
#include "hlo/limits.h"
#include "hlo/parser/module_parser.h"

namespace tessera::detail {

void ModuleParser::parse_computation() {
  if (lexer_.at_instruction()) return parse_bare_list();
  auto computation = std::make_unique<Computation>();
  const std::size_t begin = lexer_.position();
  if (at_word("ENTRY")) {
    lexer_.advance(5);
    computation->is_entry = true;
  }
  Span name_span;
  const bool unnamed = computation->is_entry && lexer_.skip() && lexer_.peek() == '{';
  if (unnamed) {
    const auto brace = static_cast<std::uint32_t>(lexer_.position());
    report(Code::syntax, "the entry computation has no name", {brace, brace + 1}, "write 'ENTRY main {'");
  }
  const bool named = unnamed || parse_name(computation->name, name_span, "a computation");
  if (named && !lexer_.skip()) return;
  if (named && lexer_.peek() == '=') {  // `name=...` without a blank is an instruction
    lexer_.seek(begin);
    return parse_bare_list();
  }
  std::vector<std::pair<HloType, Span>> parameters;
  HloType result;
  Span result_span;
  const bool has_signature = named && lexer_.peek() == '(';
  const bool readable = named && (!has_signature || parse_signature(parameters, result, result_span));
  if (!readable) {
    // The name or the signature cannot be read: report it and continue with the body.
    report_lexer_error();
    const std::string_view line = lexer_.rest().substr(0, lexer_.rest().find('\n'));
    // A signature may contain braces, so the last brace of the line opens the body. Without a signature the
    // first one does, because the first instruction may be on the same line.
    const bool last = has_signature || line.find('(') < line.find('{');
    const std::size_t brace = last ? line.rfind('{') : line.find('{');
    if (brace == std::string_view::npos || lexer_.position() + brace == begin) return recover_between();
    lexer_.advance(brace);
  }
  if (!lexer_.need('{', "'{' before the instructions")) return;
  Computation& body = *computation;
  if (!body.name.empty() && module_.names.find(body.name) != NameTable::kNone) {
    report(Code::duplicate_name, fmt::format("computation '{}' is already defined", body.name), name_span,
           "rename one of the two");
  }
  parse_body(body, true);
  if (lexer_.accept(',')) {
    if (lexer_.skip() && lexer_.accept("execution_thread=")) {
      const std::size_t from = lexer_.position();
      if (lexer_.peek() != '"' && lexer_.peek() != '\'') {
        lexer_.expected("a string");
      } else if (lexer_.skip_string()) {
        body.execution_thread = lexer_.between(from, lexer_.position());
      }
    } else {
      lexer_.expected("'execution_thread='");
    }
  }
  body.span = span_from(begin);
  if (has_signature && readable) check_signature(body, parameters, result, result_span);
  if (body.is_entry) {
    if (module_.entry != nullptr) {
      report(Code::duplicate_name, fmt::format("'{}' is already the ENTRY", module_.entry->name), name_span,
             "mark only one computation");
      body.is_entry = false;
    } else {
      module_.entry = &body;
    }
  }
  if (!body.name.empty()) {
    module_.names.insert(body.name, static_cast<std::uint32_t>(module_.computations.size()));
  }
  module_.computations.push_back(std::move(computation));
}

void ModuleParser::parse_bare_list() {
  auto computation = std::make_unique<Computation>();
  const std::size_t begin = lexer_.position();
  computation->is_entry = module_.entry == nullptr;
  if (computation->is_entry) module_.entry = computation.get();
  parse_body(*computation, false);
  computation->span = span_from(begin);
  module_.computations.push_back(std::move(computation));
}

// Instructions up to the closing brace or, in a bare list, up to the last one.
void ModuleParser::parse_body(Computation& computation, bool braces) {
  const std::size_t open = lexer_.position() - (braces ? 1 : 0);
  bool had_error = false;
  for (;;) {
    if (!lexer_.skip()) {
      report_lexer_error();
      break;
    }
    if (braces && lexer_.peek() == '}') {
      lexer_.advance(1);
      break;
    }
    const bool over = lexer_.at_end() || at_word("HloModule") || at_word("ENTRY") || at_computation_;
    at_computation_ = false;
    if (over && braces && !had_error) report_open(computation, open);
    if (over && braces && lexer_.at_end()) cut_ = &computation;
    if (over || (!braces && lexer_.peek() == '}')) break;
    const std::size_t before = lexer_.position();
    if (parse_instruction(computation) || at_computation_) continue;
    had_error = true;
    std::optional<Diagnostic> error = std::exchange(lexer_.error, std::nullopt);
    bool more = false;
    if (lexer_.ran_out()) {
      lexer_.advance(lexer_.rest().size());
    } else {
      const auto close = braces ? closing_brace(before) : std::nullopt;
      if (close) lexer_.seek(*close);
      if (!close && lexer_.position() == before && !lexer_.at_end()) lexer_.advance(1);
      more = close || recover_in_body();
    }
    const bool cut = braces && !more && lexer_.at_end();
    if (cut) cut_ = &computation;
    if (error && cut)
      error->notes.push_back(fmt::format("the text ends inside computation '{}'", computation.name));
    if (error) sink_.add(*std::move(error));
    if (!more) break;
  }
  if (computation.instructions.empty() && !had_error) {
    const auto at = static_cast<std::uint32_t>(open);
    report(Code::syntax, fmt::format("computation '{}' has no instructions", computation.name), {at, at + 1});
  }
  finish(computation);
}

bool ModuleParser::parse_signature(std::vector<std::pair<HloType, Span>>& parameters, HloType& result,
                                   Span& result_span) {
  lexer_.advance(1);
  bool more = !lexer_.accept(')');
  while (more) {
    if (!lexer_.skip()) return false;
    lexer_.accept('%');
    if (lexer_.identifier().empty()) return lexer_.expected("a parameter name");
    if (!lexer_.need(':', "':' after a parameter name") || !lexer_.skip()) return false;
    const std::size_t begin = lexer_.position();
    auto& [type, span] = parameters.emplace_back();
    if (!parse_type(type)) return false;
    span = span_from(begin);
    more = lexer_.accept(',');
    if (!more && !lexer_.need(')', "',' or ')' in the parameter list")) return false;
  }
  if (!lexer_.accept("->")) return lexer_.expected("'->' and the result type");
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  if (!parse_type(result)) return false;
  result_span = span_from(begin);
  return true;
}

// A signature repeats the types of the parameters and the root, without layouts.
void ModuleParser::check_signature(const Computation& computation,
                                   const std::vector<std::pair<HloType, Span>>& parameters,
                                   const HloType& result, Span result_span) {
  if (cut_ == &computation) return;  // the missing part may hold what the signature lists
  if (parameters.size() != computation.parameters.size()) {
    report(Code::operand_count,
           fmt::format("the signature of '{}' has {}, but its body has {}", computation.name,
                       plural(parameters.size(), "parameter"), computation.parameters.size()),
           result_span, "list the parameters of the body, or remove the signature");
    return;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Instruction* parameter = computation.parameters[i];
    if (parameter == nullptr || compatible(parameters[i].first, parameter->type)) continue;
    report(Code::shape_mismatch,
           fmt::format("the signature has {} for parameter {}, but the body has {}",
                       short_text(parameters[i].first), i, short_text(parameter->type)),
           parameters[i].second);
  }
  if (computation.root != nullptr && !compatible(result, computation.root->type)) {
    report(Code::shape_mismatch,
           fmt::format("the signature returns {}, but the root '{}' is {}", short_text(result),
                       computation.root->name, short_text(computation.root->type)),
           result_span);
  }
}

// Sets the root and the parameters, and names unnamed instructions.
void ModuleParser::finish(Computation& computation) {
  std::size_t count = 0;
  std::size_t number = 0;
  for (const auto& instruction : computation.instructions) {
    count += instruction->opcode == Opcode::parameter;
    if (instruction->name.empty()) {
      do {
        instruction->name = keep(fmt::format("{}.{}", instruction->opcode_text, ++number));
      } while (computation.names.insert(instruction->name, instruction->index) != NameTable::kNone);
    }
  }
  if (computation.root == nullptr && !computation.instructions.empty()) {
    // The last line is the last instruction: those nested in its operands come before it.
    computation.root = computation.instructions.back().get();
    computation.root->is_root = true;
  }
  if (cut_ == &computation) {  // parameters may be missing, so their number is not checked
    for (const auto& instruction : computation.instructions) {
      const auto place = static_cast<std::uint64_t>(instruction->parameter_number);
      if (instruction->opcode == Opcode::parameter && place < kHloLimits.parser.cut_parameters)
        count = std::max(count, static_cast<std::size_t>(place) + 1);
    }
  }
  computation.parameters.assign(count, nullptr);
  for (const auto& instruction : computation.instructions) {
    if (instruction->opcode != Opcode::parameter || instruction->parameter_number < 0) continue;
    const auto place = static_cast<std::uint64_t>(instruction->parameter_number);
    if (place >= count) {
      broken(*instruction, Code::index_out_of_range,
             fmt::format("parameter number {} is out of range: '{}' has {}, numbered 0 to {}", place,
                         computation.name, plural(count, "parameter"), count - 1),
             instruction->opcode_span);
    } else if (computation.parameters[place] != nullptr) {
      broken(*instruction, Code::duplicate_name,
             fmt::format("parameter number {} occurs twice in '{}': '{}' has it too", place, computation.name,
                         computation.parameters[place]->name),
             instruction->opcode_span, "number the parameters 0, 1, 2, ...");
    } else {
      computation.parameters[place] = instruction.get();
    }
  }
}

}  // namespace tessera::detail
