// SPDX-License-Identifier: Apache-2.0
#include "eval/for_all_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "eval/interpreter.h"
#include "eval/limits.h"
#include "eval/node_run.h"
#include "size/limits.h"
#include "size/question.h"

namespace tessera::eval {
namespace {

using symbolic::AssumptionList;
using symbolic::Sizes;

/// The place of the word `where`, or the end.
std::size_t where_at(std::string_view text) {
  const auto word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (std::size_t at = text.find("where"); at != std::string_view::npos; at = text.find("where", at + 1)) {
    const bool begins = at == 0 || !word(text[at - 1]);
    const bool ends = at + 5 == text.size() || !word(text[at + 5]);
    if (begins && ends) return at;
  }
  return text.size();
}

/// What the calculator says at some sizes.
std::optional<symbolic::SaidAtSizes> said_at(const Node& node, const NamedNodes& variables, const Sizes& at) {
  const auto text = text_at(node, variables, at);
  if (!text) return std::nullopt;
  Evaluator evaluator;
  Evaluation said = evaluator.evaluate(*text);
  if (said.error) return symbolic::SaidAtSizes{.error = std::move(said.error)};
  return symbolic::SaidAtSizes{.text = to_string(said.answers.back().value)};
}

}  // namespace

std::optional<SizedEvaluation> for_all_sizes(std::string_view text, std::string_view where,
                                             const std::map<std::string, Value, std::less<>>& variables) {
  const std::size_t split = where_at(text);
  const bool assumes = split != text.size() || !where.empty();
  const std::string_view expression = text.substr(0, split);
  const ParsedProgram program = parse_program(expression);
  SizedEvaluation out;
  if (program.error) {
    if (!assumes) return std::nullopt;
    out.error = program.error;
    return out;
  }
  NamedNodes named;
  FreeNames free;
  for (const Statement& s : program.statements) {
    add_free_names(s.expr, named, free);
    if (!s.name.empty()) named[std::string(s.name)] = {.node = &s.expr};
  }
  std::erase_if(free.names, [&](const std::string& n) { return variables.contains(n); });
  if (!assumes && (!free.strong || free.names.empty())) return std::nullopt;
  if (program.statements.size() > kEvalLimits.sized_statements) {
    out.error = Diagnostic{
        .code = Code::limit,
        .message = fmt::format("more than {} statements for all sizes", kEvalLimits.sized_statements),
        .span = program.statements[kEvalLimits.sized_statements].expr.span};
    return out;
  }

  AssumptionList list;
  if (split != text.size()) {
    const auto begin = static_cast<std::uint32_t>(split + 5);
    const Result<AssumptionList> own = AssumptionList::parse(text.substr(begin), begin);
    if (!own) {
      out.error = own.error();
      return out;
    }
    list.append(*own);
  }
  const std::vector<std::string> own_names = list.names(free.names);
  if (!where.empty()) {
    Result<AssumptionList> more = AssumptionList::parse(where);
    if (!more) {
      out.error = more.error();
      out.error->field = "where";
      return out;
    }
    more->come_from("where");
    list.append(*more);
  }
  for (const std::string& name : free.names) {
    if (!symbolic::is_size_word(name)) continue;
    out.error =
        Diagnostic{.code = Code::reserved_name,
                   .message = fmt::format("'{}' is a word of the language and cannot be a size", name),
                   .help = "choose another name"};
    return out;
  }
  out.names = own_names;
  const std::vector<std::string> names = list.names(free.names);
  if (names.size() > symbolic::kSizeLimits.parameters) {
    out.error = symbolic::too_many_parameters();
    return out;
  }
  out.parameters = symbolic::parameters_of(list, names);
  out.where = list.text();

  std::deque<NamedNodes> scopes(1);  // the variables before each statement
  for (const Statement& s : program.statements) {
    const NamedNodes& before = scopes.back();
    auto cases = symbolic::sized_cases(
        list, names, [&](symbolic::Recorder& run) { return evaluated(s.expr, before, run); },
        [&](const Sizes& at) { return said_at(s.expr, before, at); }, out.notes);
    if (!cases) {
      out.error = std::move(cases.error());
      if (out.error->field.empty() && out.error->span.end == 0) out.error->span = s.expr.span;
      return out;
    }
    out.answers.push_back({std::string(s.name), *std::move(cases)});
    if (s.name.empty()) continue;
    NamedNodes after = before;
    after[std::string(s.name)] = {.node = &s.expr, .before = &before};
    scopes.push_back(std::move(after));
  }
  return out;
}

}  // namespace tessera::eval
