// SPDX-License-Identifier: Apache-2.0
#include "tessera/eval/evaluator.h"

#include <fmt/format.h>

#include <limits>

#include "eval/interpreter.h"

namespace tessera {
namespace {

bool is_reserved(std::string_view name) {
  for (const std::string_view word : {"o", "mod", "and", "or", "not"}) {
    if (name == word) return true;
  }
  if (eval::word_value(name)) return true;
  const eval::Builtin* const function = eval::find_function(name);
  return function != nullptr && !function->of_axe;
}

}  // namespace

Evaluation Evaluator::evaluate(std::string_view text, bool explain) {
  Evaluation out;
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    out.error = Diagnostic{.code = Code::limit, .message = "the text is 4 GiB or longer"};
    return out;
  }
  const eval::ParsedProgram program = eval::parse_program(text);
  if (program.error) {
    out.error = program.error;
    out.incomplete = program.open;
    if (out.error->code == Code::syntax && out.error->help.empty()) {
      out.error->help =
          "write layouts (4,8):(8,1), names, and calls like size(L), L(2,3): tessera eval --list";
    }
    return out;
  }
  if (program.statements.empty()) {
    out.error = Diagnostic{.code = Code::syntax, .message = "the expression is empty"};
    out.error->help = "write an expression like logical_divide((4,2,3):(2,1,8), 4:2)";
    return out;
  }
  for (const eval::Statement& statement : program.statements) {
    if (!statement.name.empty() && is_reserved(statement.name)) {
      out.error = Diagnostic{.code = Code::reserved_name,
                             .message = fmt::format("'{}' is a word of the language and cannot be a variable",
                                                    shortened(statement.name)),
                             .span = statement.name_span,
                             .help = "choose another name"};
      return out;
    }
    eval::Interpreter interpreter(variables_, last_ ? &*last_ : nullptr, explain, out);
    Result<Value> value = interpreter.statement(statement.expr);
    if (!value) {
      out.error = value.error();
      return out;
    }
    if (!statement.name.empty()) variables_.insert_or_assign(std::string(statement.name), *value);
    last_ = *value;
    out.answers.push_back({std::string(statement.name), *std::move(value)});
  }
  return out;
}

}  // namespace tessera
