// SPDX-License-Identifier: Apache-2.0
// Recovery after an error, and the search for a missing brace.
#include <fmt/core.h>

#include <optional>
#include <vector>

#include "hlo/parser/module_parser.h"

namespace tessera::detail {
namespace {

// The last `={` that the line does not close, or npos.
std::size_t open_value(std::string_view line) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      i = line.find('"', i + 1);
      if (i == std::string_view::npos) break;
    }
    if (line[i] == '{') open.push_back(i);
    if (line[i] == '}' && !open.empty()) open.pop_back();
  }
  const bool value = !open.empty() && open.back() > 0 && line[open.back() - 1] == '=';
  return value ? open.back() : std::string_view::npos;
}

}  // namespace

// Skips the value whose '{' is `open` bytes ahead. False if it is not closed: a '}' in the first column
// closes the computation if another computation or nothing follows.
bool ModuleParser::skip_open_value(std::size_t open) {
  HloLexer ahead(lexer_.rest().substr(open));
  if (braces_run_out_ || !ahead.skip_brace_text()) {
    braces_run_out_ = true;  // found once, because the search reads the rest of the text
    return false;
  }
  const std::size_t after = open + ahead.position();
  if (lexer_.rest()[after - 2] == '\n') {
    if (!ahead.skip() || ahead.at_end() || ahead.at_computation()) return false;
    if (ahead.rest().starts_with("ENTRY ") || ahead.rest().starts_with("HloModule ")) return false;
  }
  lexer_.advance(after);
  return true;
}

// The brace that closes the computation on the line of a broken instruction, which begins at `begin`: more
// braces close than open before it, and after it comes another computation or nothing.
std::optional<std::size_t> ModuleParser::closing_brace(std::size_t begin) {
  std::size_t depth = 0;
  bool string = false;
  bool comment = false;
  for (std::size_t i = begin; i < text_.size(); ++i) {
    const char c = text_[i];
    const char next = i + 1 < text_.size() ? text_[i + 1] : ' ';
    if (c == '\n' && i >= lexer_.position()) break;
    if (string) {
      if (c == '\\') ++i;
      string = c != '"';
    } else if (comment) {
      comment = c != '*' || next != '/';
    } else if (c == '"') {
      string = true;
    } else if (c == '/' && next == '*') {
      comment = true;
    } else if (c == '/' && next == '/') {
      break;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && depth-- == 0) {
      HloLexer ahead(text_.substr(i + 1));
      if (!ahead.skip()) break;
      const std::string_view rest = ahead.rest();
      if (rest.empty() || rest.starts_with("ENTRY ") || rest.starts_with("HloModule ")) return i;
      // The name of a computation, which may be on one line, too.
      ahead.accept('%');
      const bool named = !ahead.identifier().empty() && ahead.skip();
      return named && (ahead.peek() == '{' || ahead.peek() == '(') ? std::optional(i) : std::nullopt;
    }
  }
  return std::nullopt;
}

// Moves to the next line that begins like an instruction or with a closing brace. False if the computation
// ends without its brace: at the end of the text or before another computation.
bool ModuleParser::recover_in_body() {
  bool line_start = false;
  {
    // The parser may have noticed the error at the first token of the next line.
    std::size_t at = lexer_.position();
    const std::string_view before = text_.substr(0, at);
    const std::size_t last = before.find_last_not_of(" \t\r");
    line_start = last == std::string_view::npos || before[last] == '\n';
  }
  while (!lexer_.at_end()) {
    if (line_start) {
      HloLexer ahead(lexer_.rest());
      while (!ahead.at_end() && (ahead.peek() == ' ' || ahead.peek() == '\t')) ahead.advance(1);
      if (ahead.peek() == '}' || ahead.at_instruction_line()) return true;
      const std::string_view rest = ahead.rest();
      if (rest.starts_with("ENTRY ") || rest.starts_with("HloModule ")) return false;
      if (ahead.position() == 0 && ahead.at_computation()) return false;
    }
    const std::size_t line_end = lexer_.rest().find('\n');
    // Lines of a computation written in place do not belong to this one.
    const std::size_t open = open_value(lexer_.rest().substr(0, line_end));
    line_start = open == std::string_view::npos || !skip_open_value(open);
    if (line_start) lexer_.advance(line_end == std::string_view::npos ? lexer_.rest().size() : line_end + 1);
  }
  return false;
}

// Moves to the next line that begins a computation or a module.
void ModuleParser::recover_between() {
  while (!lexer_.at_end()) {
    const std::size_t line_end = lexer_.rest().find('\n');
    lexer_.advance(line_end == std::string_view::npos ? lexer_.rest().size() : line_end + 1);
    HloLexer ahead(lexer_.rest());  // the line may be indented
    while (ahead.peek() == ' ' || ahead.peek() == '\t') ahead.advance(1);
    const std::string_view rest = ahead.rest();
    if (rest.empty() || rest.starts_with("ENTRY") || rest.starts_with("HloModule")) return;
    if (ahead.at_computation() || ahead.at_instruction_line()) return;
  }
}

// The attribute of the last instruction whose missing brace swallowed the instructions after it or the
// closing brace of the computation, which is in the first column; null if there is none.
const Attribute* ModuleParser::unclosed_value(const Computation& computation,
                                              bool& before_instruction) const {
  if (computation.instructions.empty()) return nullptr;
  const Instruction& last = *computation.instructions.back();
  for (const Attribute& attribute : last.attributes) {
    if (attribute_form(attribute.key) == AttributeForm::computation || !attribute.value.starts_with('{'))
      continue;
    for (auto line = attribute.value.find('\n'); line != std::string_view::npos;
         line = attribute.value.find('\n', line + 1)) {
      const std::string_view rest = attribute.value.substr(line + 1);
      before_instruction = rest != "}" && HloLexer(rest).at_instruction_line();
      if (before_instruction || rest == "}") return &attribute;
    }
  }
  for (const Computation* called : last.called) {  // or the value is inside a computation written in place
    if (!called->name.empty()) continue;
    if (const Attribute* const found = unclosed_value(*called, before_instruction)) return found;
  }
  return nullptr;
}

// Reports that the text of a computation ends without its closing brace.
void ModuleParser::report_open(Computation& computation, std::size_t open) {
  bool before_instruction = false;
  if (const Attribute* const value = unclosed_value(computation, before_instruction)) {
    const auto at = value->span.begin;
    report(Code::syntax,
           fmt::format("this '{{' of '{}' is not closed before {}", value->key,
                       before_instruction ? "the next instruction" : "the end of the computation"),
           {at, at + 1}, "write '}' after the value: the brace of the computation closed it");
    computation.instructions.back()->sound = false;
    return;
  }
  const auto at = static_cast<std::uint32_t>(open);
  report(Code::syntax, fmt::format("this '{{' of computation '{}' is never closed", computation.name),
         {at, at + 1}, "write '}' after the last instruction");
}

}  // namespace tessera::detail
