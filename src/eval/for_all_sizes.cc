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

using symbolic::AssumptionList;

struct SizedVariables::Text {
  std::string text;
  ParsedProgram program;
  std::deque<NamedNodes> scopes = {};  ///< the variables before each statement
  FreeNames free = {};
  AssumptionList where = {};                              ///< what the text itself assumes
  std::vector<std::shared_ptr<const Text>> earlier = {};  ///< whose variables it reads
  std::size_t statements_before = 0;  ///< of these texts, and of theirs, in the longest chain

  static std::shared_ptr<Text> parsed(std::string_view text) {
    auto out = std::make_shared<Text>(Text{.text = std::string(text), .program = {}});
    out->program = parse_program(out->text);
    return out;
  }
};

namespace {

using symbolic::Sizes;
using Text = SizedVariables::Text;

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

const SizedVariables::Variable* SizedVariables::find(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

void SizedVariables::replaced_by(const Evaluation& numbers) {
  for (const Answer& answer : numbers.answers) {
    variables_.erase("ans");
    variables_.erase(answer.name);
    last_number_ = answer.value;
  }
}

namespace {

/// Adds what a text and those whose variables it reads assume, each once.
void add_assumptions(const Text& text, std::vector<const Text*>& known, AssumptionList& out) {
  if (std::ranges::find(known, &text) != known.end()) return;
  known.push_back(&text);
  out.append(text.where);
  for (const auto& earlier : text.earlier) add_assumptions(*earlier, known, out);
}

/// Names that are variables of earlier texts become definitions; others stay free. Whether one of them
/// depends on sizes.
bool add_earlier(Text& text, const std::map<std::string, Value, std::less<>>& variables,
                 const SizedVariables& kept, AssumptionList& assumed) {
  bool sized = false;
  std::vector<const Text*> known_texts;
  NamedNodes& first = text.scopes.front();
  const std::vector<std::string> names = std::exchange(text.free.names, {});
  const auto add_name = [&](const std::string& name) {
    if (std::ranges::find(text.free.names, name) == text.free.names.end()) text.free.names.push_back(name);
  };
  for (const std::string& name : names) {
    if (const SizedVariables::Variable* const known = kept.find(name)) {
      const Text& from = *known->text;
      first[name] = {.node = &from.program.statements[known->statement].expr,
                     .before = &from.scopes[known->statement]};
      sized = true;
      text.earlier.push_back(known->text);
      text.statements_before =
          std::max(text.statements_before, from.statements_before + known->statement + 1);
      std::ranges::for_each(from.free.names, add_name);
      add_assumptions(from, known_texts, assumed);
      continue;
    }
    const auto found = variables.find(name);
    std::optional<Value> number = name == "ans" ? kept.last_number() : std::nullopt;
    if (found != variables.end()) number = found->second;
    if (!number) {
      if (name != "ans") add_name(name);
      continue;
    }
    const std::shared_ptr<Text> value = Text::parsed(to_string(*number));
    if (value->program.error || value->program.statements.size() != 1) continue;
    value->scopes.emplace_back();
    text.earlier.push_back(value);
    first[name] = {.node = &value->program.statements[0].expr, .before = &value->scopes[0]};
  }
  // Their places are in other texts.
  assumed.come_from("expr", 0, {});
  return sized;
}

}  // namespace

std::optional<SizedEvaluation> for_all_sizes(std::string_view text, std::string_view where,
                                             const std::map<std::string, Value, std::less<>>& variables,
                                             SizedVariables& kept) {
  const std::size_t split = where_at(text);
  const bool assumes = split != text.size() || !where.empty();
  const std::shared_ptr<Text> own = Text::parsed(text.substr(0, split));
  const ParsedProgram& program = own->program;
  SizedEvaluation out;
  if (program.error) {
    if (!assumes) return std::nullopt;
    out.error = program.error;
    return out;
  }
  std::deque<NamedNodes>& scopes = own->scopes;
  scopes.emplace_back();
  FreeNames& free = own->free;
  NamedNodes named;
  for (const Statement& s : program.statements) {
    add_free_names(s.expr, named, free);
    for (const std::string& name : {std::string(s.name), std::string("ans")}) named[name] = {.node = &s.expr};
  }
  AssumptionList list;
  const bool no_answer = std::ranges::find(free.names, "ans") != free.names.end() &&
                         !variables.contains("ans") && kept.find("ans") == nullptr && !kept.last_number();
  const bool reads = add_earlier(*own, variables, kept, list);
  if (!assumes && !reads && (!free.strong || free.names.empty())) return std::nullopt;
  if (no_answer) {
    out.error =
        Diagnostic{.code = Code::unknown_name, .message = "'ans' is the last answer, and there is none yet"};
    return out;
  }
  // Values are computed from their definitions, in a recursion.
  const std::size_t left = kEvalLimits.sized_statements - own->statements_before;
  if (program.statements.size() > left) {
    out.error = Diagnostic{
        .code = Code::limit,
        .message = fmt::format("more than {} statements for all sizes{}", kEvalLimits.sized_statements,
                               reads ? ", with those of earlier texts" : ""),
        .span = program.statements[left].expr.span,
        .help = reads ? "write the value of a variable in place of its name" : ""};
    return out;
  }

  if (split != text.size()) {
    const auto begin = static_cast<std::uint32_t>(split + 5);
    const Result<AssumptionList> written = AssumptionList::parse(text.substr(begin), begin);
    if (!written) {
      out.error = written.error();
      return out;
    }
    list.append(*written);
    own->where = *written;
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
    NamedNodes after = before;
    for (const std::string& name : {std::string(s.name), std::string("ans")})
      after[name] = {.node = &s.expr, .before = &before};
    scopes.push_back(std::move(after));
  }
  for (std::size_t i = 0; i < program.statements.size(); ++i) {
    for (const std::string& name : {std::string(program.statements[i].name), std::string("ans")})
      kept.keep(name, {own, i});
  }
  return out;
}

}  // namespace tessera::eval
