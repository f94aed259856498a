// SPDX-License-Identifier: Apache-2.0
#include "hlo/metadata/metadata.h"

#include <fmt/format.h>

#include <utility>

#include "hlo/limits.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/lexer.h"

namespace tessera::detail {
namespace {

CodeLine line_of_frame(const StackFrame& frame) {
  CodeLine out;
  if (frame.file != nullptr) out.file = *frame.file;
  out.line = frame.line;
  if (frame.function != nullptr) out.function = *frame.function;
  return out;
}

}  // namespace

OpMetadata read_metadata(const Instruction& instruction) {
  OpMetadata out;
  const Attribute* const attribute = instruction.attribute("metadata");
  if (attribute == nullptr) return out;
  HloLexer lexer(attribute->value);
  if (!lexer.accept('{')) return out;
  while (lexer.skip() && !lexer.at_end() && lexer.peek() != '}') {
    const std::string_view key = lexer.identifier();
    if (key.empty() || !lexer.accept('=') || !lexer.skip()) break;
    const std::size_t begin = lexer.position();
    const char first = lexer.peek();
    if (first == '"' || first == '\'') {
      if (!lexer.skip_string()) break;
      std::string* const text = key == "op_name"       ? &out.op_name
                                : key == "source_file" ? &out.source_file
                                                       : nullptr;
      if (text != nullptr) {
        auto value = read_string({.key = key, .value = lexer.between(begin, lexer.position())});
        if (value) *text = *std::move(value);
      }
    } else if (first == '{') {
      if (!lexer.skip_brackets()) break;
    } else if (is_digit(first) || first == '-') {
      Index value = 0;
      if (!lexer.integer(value, "a number")) break;
      if (key == "source_line") out.source_line = value;
      if (key == "stack_frame_id") out.stack_frame = value;
    } else if (lexer.identifier().empty()) {
      break;
    }
    lexer.accept(',');
  }
  return out;
}

std::string CodeLine::short_text() const {
  if (!known()) return {};
  const std::size_t slash = file.find_last_of("/\\");
  return fmt::format("{}:{}", slash == std::string::npos ? file : file.substr(slash + 1), line);
}

std::string CodeLine::text() const { return known() ? fmt::format("{}:{}", file, line) : std::string(); }

std::vector<std::string_view> scope_parts(std::string_view op_name) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < op_name.size(); ++i) {
    if (op_name[i] == '(') ++depth;
    if (op_name[i] == ')' && depth > 0) --depth;
    if (op_name[i] != '/' || depth > 0) continue;
    if (i > begin) out.push_back(op_name.substr(begin, i - begin));
    begin = i + 1;
  }
  if (begin < op_name.size()) out.push_back(op_name.substr(begin));
  return out;
}

ModuleCode::ModuleCode(const HloModule& module, IsOwn is_own)
    : frames_(module.stack_tables), is_own_(std::move(is_own)) {}

bool ModuleCode::is_own(const std::string& file) {
  const auto [found, is_new] = own_.try_emplace(file, false);
  if (is_new) found->second = is_own_(file);
  return found->second;
}

const ModuleCode::Known& ModuleCode::of(const Instruction& instruction) {
  const auto [found, is_new] = known_.try_emplace(&instruction);
  Known& out = found->second;
  if (!is_new) return out;
  out.metadata = read_metadata(instruction);
  const StackFrame* frame = frames_.find(out.metadata.stack_frame);
  if (frame != nullptr && frame->file != nullptr) {
    out.line = line_of_frame(*frame);
    for (std::size_t i = 0; is_own_ && frame != nullptr && i < kHloLimits.metadata.frames; ++i) {
      if (frame->file != nullptr && is_own(*frame->file)) {
        out.line = line_of_frame(*frame);
        break;
      }
      frame = frames_.find(frame->parent);
    }
  } else if (!out.metadata.source_file.empty()) {
    out.line = {out.metadata.source_file, out.metadata.source_line, {}};
  }
  return out;
}

const CodeLine& ModuleCode::line(const Instruction& instruction) { return of(instruction).line; }

const std::string& ModuleCode::scope(const Instruction& instruction) {
  return of(instruction).metadata.op_name;
}

std::vector<CodeLine> ModuleCode::stack(const Instruction& instruction) {
  const Known& known = of(instruction);
  std::vector<CodeLine> out;
  const StackFrame* frame = frames_.find(known.metadata.stack_frame);
  for (; frame != nullptr && out.size() < kHloLimits.metadata.frames; frame = frames_.find(frame->parent))
    out.push_back(line_of_frame(*frame));
  if (out.empty() && known.line.known()) out.push_back(known.line);
  return out;
}

}  // namespace tessera::detail
