// SPDX-License-Identifier: Apache-2.0
#include "tessera/eval/evaluator.h"

#include <fmt/format.h>

#include <limits>

#include "eval/interpreter.h"

namespace tessera {
namespace {

bool is_reserved(std::string_view name) {
  return name == "o" || name == "left" || name == "right" || eval::find_function(name) != nullptr;
}

}  // namespace

Evaluation Evaluator::evaluate(std::string_view text, bool explain) {
  Evaluation out;
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    out.error = Diagnostic{.code = Code::limit, .message = "the text is 4 GiB or longer"};
    return out;
  }
  const Result<std::vector<eval::Statement>> program = eval::parse_program(text);
  if (!program) {
    out.error = program.error();
    if (out.error->code == Code::syntax && out.error->help.empty()) {
      out.error->help =
          "write layouts (4,8):(8,1), names, and calls like size(L), L(2,3): tessera eval --list";
    }
    return out;
  }
  if (program->empty()) {
    out.error = Diagnostic{.code = Code::syntax, .message = "the expression is empty"};
    out.error->help = "write an expression like logical_divide((4,2,3):(2,1,8), 4:2)";
    return out;
  }
  for (const eval::Statement& statement : *program) {
    if (!statement.name.empty() && is_reserved(statement.name)) {
      out.error = Diagnostic{
          .code = Code::reserved_name,
          .message = fmt::format("'{}' is a word of the language and cannot be a variable", statement.name),
          .span = statement.name_span};
      return out;
    }
    Result<Value> value = eval::Interpreter(variables_, explain, out).value_of(statement.expr);
    if (!value) {
      out.error = value.error();
      return out;
    }
    if (!statement.name.empty()) variables_.insert_or_assign(std::string(statement.name), *value);
    out.answers.push_back({std::string(statement.name), *std::move(value)});
  }
  return out;
}

}  // namespace tessera
