// SPDX-License-Identifier: Apache-2.0
#include "report/sized_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/exit_status.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "report/limits.h"

namespace tessera {
namespace {

using eval::SizedAnswer;
using eval::SizedCase;
using eval::SizedEvaluation;

constexpr std::size_t kWidest = 60;

std::string head_of(const SizedCase& c) {
  switch (c.kind) {
    case SizedCase::Kind::value:
      return c.text;
    case SizedCase::Kind::error:
      return fmt::format("error[{}{}]", to_string(c.code), c.reason.empty() ? "" : " (" + c.reason + ")");
    case SizedCase::Kind::undecided:
      break;
  }
  return "undecided";
}

/// What follows the condition.
std::string tail_of(const SizedCase& c) {
  if (c.kind == SizedCase::Kind::undecided)
    return ": " + c.reason +
           (c.assume.empty() ? "" : fmt::format("; assume {} to avoid this case", c.assume));
  if (c.kind == SizedCase::Kind::value || c.sizes.empty()) return "";
  std::string sizes;
  for (const auto& [name, value] : c.sizes)
    sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", name, value);
  return fmt::format("; {}{}{}", c.smallest ? "" : "for example ", sizes,
                     c.witness.empty() ? "" : ": " + c.witness);
}

std::string lines_of(const SizedAnswer& answer, const SizedTextOptions& options) {
  const std::size_t most =
      options.all ? answer.cases.size() : std::min(answer.cases.size(), detail::kReportLimits.sized_cases);
  std::size_t width = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const SizedCase& c = answer.cases[i];
    const std::size_t own = head_of(c).size();
    if (c.kind == SizedCase::Kind::value && !c.condition.empty() && own <= kWidest)
      width = std::max(width, own);
  }
  std::string out;
  const std::string separator = options.one_line ? "; " : "\n";
  for (std::size_t i = 0; i < most; ++i) {
    const SizedCase& c = answer.cases[i];
    if (i > 0) out += separator;
    const std::string head = head_of(c);
    const std::size_t pad =
        options.one_line || c.kind != SizedCase::Kind::value ? 0 : std::max(width, head.size()) - head.size();
    out += head;
    if (!c.condition.empty())
      out += fmt::format("{:{}}{}if {}", "", pad,
                         c.kind == SizedCase::Kind::value && !options.one_line ? "  " : " ", c.condition);
    out += tail_of(c);
  }
  if (most < answer.cases.size())
    out += fmt::format("{}and {} more cases; --all prints them", separator, answer.cases.size() - most);
  return out;
}

Json json_of(const SizedCase& c) {
  Json out = {{"if", c.condition}};
  switch (c.kind) {
    case SizedCase::Kind::value:
      out["value"] = c.text;
      break;
    case SizedCase::Kind::error: {
      out["error"] = to_string(c.code);
      if (!c.reason.empty()) out["reason"] = c.reason;
      if (!c.sizes.empty()) out["sizes"] = c.sizes;
      if (!c.witness.empty()) out["witness"] = c.witness;
      if (!c.smallest) out["smallest"] = false;
      break;
    }
    case SizedCase::Kind::undecided:
      out["undecided"] = c.reason;
      if (!c.assume.empty()) out["assume"] = c.assume;
  }
  return out;
}

void add_sizes(Json& json, const symbolic::SizedAnswers& answers) {
  json["parameters"] = Json::array();
  for (const eval::SizedParameter& p : answers.parameters) {
    json["parameters"].push_back(
        Json{{"name", p.name}, {"lower", p.lower}, {"upper", p.upper.empty() ? Json() : Json(p.upper)}});
  }
  json["where"] = answers.where;
  if (!answers.notes.empty()) json["notes"] = answers.notes;
}

Json cases_of(const SizedAnswer& answer) {
  Json out = Json::array();
  for (const SizedCase& c : answer.cases) out.push_back(json_of(c));
  return out;
}

}  // namespace

std::string to_json(const SizedKeys& keys, const std::string& text, const std::string& to,
                    const symbolic::SizedAnswers& answers) {
  Json json = detail::answer_json(keys.verb, status_of(answers));
  json[std::string(keys.layout)] = keys.verb == "show" ? Json(text) : Json{{"text", text}};
  if (keys.verb == "convert") json["to"] = to.empty() ? Json() : Json(to);
  if (keys.list.empty()) {
    json["cases"] = cases_of(answers.answers[0]);
  } else {
    Json& list = json[std::string(keys.list)] = Json::array();
    for (const SizedAnswer& one : answers.answers)
      list.push_back({{std::string(keys.name), one.name}, {"cases", cases_of(one)}});
  }
  add_sizes(json, answers);
  return detail::dump(json);
}

std::string to_text(const SizedEvaluation& evaluation, const SizedTextOptions& options) {
  std::string out;
  for (std::size_t i = 0; i < evaluation.answers.size(); ++i) {
    const SizedAnswer& answer = evaluation.answers[i];
    const bool last = i + 1 == evaluation.answers.size() && !evaluation.error;
    if (!answer.name.empty() && !last) continue;
    if (!out.empty()) out += options.one_line ? "; " : "\n";
    if (!answer.name.empty()) out += answer.name + " = ";
    out += lines_of(answer, options);
  }
  return out.empty() ? out : out + "\n";
}

int status_of(const SizedEvaluation& evaluation) {
  if (evaluation.error) return status_of(*evaluation.error);
  return status_of(static_cast<const symbolic::SizedAnswers&>(evaluation));
}

std::string to_text(const symbolic::SizedAnswers& answers, std::size_t names,
                    const SizedTextOptions& options) {
  std::string out;
  for (const SizedAnswer& answer : answers.answers) {
    std::string lines = lines_of(answer, options);
    if (!out.empty()) out += options.one_line ? "; " : "\n";
    if (names > 0 && !options.one_line) {
      out += fmt::format("{:<{}}", answer.name, names);
      for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; ++at)
        lines.insert(at + 1, names, ' ');
    } else if (names > 0) {
      out += answer.name + " ";
    }
    out += lines;
  }
  return out;
}

int status_of(const symbolic::SizedAnswers& answers) {
  int out = kDone;
  for (const SizedAnswer& answer : answers.answers) {
    for (const SizedCase& c : answer.cases) {
      const bool no =
          c.kind == SizedCase::Kind::error || (c.kind == SizedCase::Kind::value && c.text == "false");
      out = std::max<int>(out, c.kind == SizedCase::Kind::undecided ? kFailed : no ? kNo : kDone);
    }
  }
  return out;
}

std::string to_json(const SizedEvaluation& evaluation, const Source& source) {
  Json json = {{"schema", "tessera.eval/1"}, {"status", status_of(evaluation)}};
  json["values"] = Json::array();
  for (const SizedAnswer& answer : evaluation.answers) {
    Json one = Json::object();
    if (!answer.name.empty()) one["name"] = answer.name;
    one["cases"] = cases_of(answer);
    json["values"].push_back(std::move(one));
  }
  add_sizes(json, evaluation);
  if (evaluation.error) json["error"] = detail::json_of(*evaluation.error, source);
  return detail::dump(json);
}

namespace {

void add_answer(Json& json, const std::string& where, const SizeAnswer& answer) {
  constexpr std::string_view words[] = {"yes", "iff", "no", "undecided"};
  json["where"] = where;
  json["answer"] = words[static_cast<std::size_t>(answer.kind)];
  if (!answer.condition.empty()) json["condition"] = answer.condition;
  if (!answer.values.empty()) {
    json["at_sizes"] = answer.sizes;
    if (!answer.index.empty()) json["counterexample"] = answer.index;
    json["values"] = answer.values;
    json["smallest"] = answer.smallest;
  }
  if (!answer.reason.empty())
    json["reason"] =
        answer.reason +
        (answer.assume.empty() ? "" : fmt::format("; assume {} to avoid this case", answer.assume));
  if (!answer.notes.empty()) json["notes"] = answer.notes;
}

}  // namespace

std::string map_answer_json(std::string_view action, const std::string& where, const SizeAnswer& answer) {
  Json json = detail::answer_json("map", status_of(answer));
  json["action"] = action;
  add_answer(json, where, answer);
  return detail::dump(json);
}

std::string map_cases_json(std::string_view action, const symbolic::SizedAnswers& answers) {
  Json json = detail::answer_json("map", status_of(answers));
  json["action"] = action;
  json["cases"] = cases_of(answers.answers[0]);
  add_sizes(json, answers);
  return detail::dump(json);
}

int status_of(const SizeAnswer& answer) {
  switch (answer.kind) {
    case SizeAnswer::Kind::yes:
      return kDone;
    case SizeAnswer::Kind::iff:
    case SizeAnswer::Kind::no:
      return kNo;
    case SizeAnswer::Kind::undecided:
      break;
  }
  return kFailed;
}

std::string to_json(const std::string& a, const std::string& b, const std::string& where,
                    const SizeAnswer& answer) {
  Json json = {{"schema", "tessera.equal/1"},
               {"status", status_of(answer)},
               {"a", {{"text", a}}},
               {"b", {{"text", b}}}};
  json["notion"] = "map";
  if (answer.kind != SizeAnswer::Kind::undecided) json["equal"] = answer.kind == SizeAnswer::Kind::yes;
  add_answer(json, where, answer);
  return detail::dump(json);
}

}  // namespace tessera
