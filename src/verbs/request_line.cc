// SPDX-License-Identifier: Apache-2.0
#include "verbs/request_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/diagnostic_json.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "verbs/field_types.h"
#include "verbs/json_line.h"
#include "verbs/json_request.h"

namespace tessera::verbs {
namespace {

using detail::dump;

constexpr std::array<std::string_view, 7> kForms = {"json", "picture", "cells", "text", "svg", "tex", "html"};

Failure refuse_line(std::string message, std::string help = {}) {
  Diagnostic diagnostic{.code = Code::bad_option, .message = std::move(message)};
  diagnostic.help = help.empty()
                        ? R"x({"verb": "map", "args": ["simplify", "() -> (1)"], "options": {}, "id": 1})x"
                        : std::move(help);
  return fail(std::move(diagnostic));
}

// The values of `args` in the fields that are arguments.
Result<void> add_arguments(const Json& args, const Verb& verb, Json& fields) {
  if (!args.is_array()) return refuse_line("'args' must be an array of strings");
  std::size_t used = 0;
  for (const Field& field : verb.fields) {
    if (!field.argument) continue;
    Json values = Json::array();
    while (used < args.size() && (field.repeated || values.empty())) {
      const Result<std::string> text = argument_text(args[used++]);
      if (!text) return fail(text.error());
      values.push_back(*text);
    }
    if (!values.empty()) fields[std::string(field.name)] = std::move(values);
  }
  if (used < args.size() && std::ranges::any_of(verb.fields, &Field::each))
    return refuse_line("a request has one question", "send a request for each");
  if (used < args.size()) return refuse_line(fmt::format("one argument too many: {}", dump(args[used])));
  return {};
}

// The values of `options`, which have the names of the command line.
Result<void> add_options(const Json& options, const Verb& verb, Json& fields) {
  if (!options.is_object())
    return refuse_line("'options' must be an object that maps long option names to values");
  for (const auto& [name, value] : options.items()) {
    if (name == "json" && value.is_boolean()) continue;  // answers are always JSON
    if (const Result<void> checked = check_option(name); !checked) return checked;
    std::string key = name;
    std::ranges::replace(key, '-', '_');
    const auto field = std::ranges::find(verb.fields, key, &Field::name);
    if (name == "force" && value.is_boolean() && field == verb.fields.end()) continue;  // nothing to replace
    if (field != verb.fields.end() && field->argument)
      return refuse_line(fmt::format("'{}' is an argument, not an option", name), "give it in 'args'");
    fields[key] = value;
  }
  return {};
}

// The fields from `request`, or from `args` and `options`.
Result<void> read_fields(const Json& json, std::size_t first, LineRequest& request) {
  if (json.contains("request") && (json.contains("args") || json.contains("options")))
    return refuse_line("'request' has all fields", "leave out 'args' and 'options'");
  Json fields = json.value("request", Json::object());
  if (!fields.is_object()) return refuse_line("'request' must be an object");
  Json args = json.value("args", Json::array());
  if (first > 0) args.erase(0);
  if (Result<void> added = add_arguments(args, *request.verb, fields); !added) return added;
  if (Result<void> added = add_options(json.value("options", Json::object()), *request.verb, fields); !added)
    return added;
  Result<FieldTexts> texts = field_texts(fields);
  if (!texts) return fail(std::move(texts.error()));
  for (const auto& [name, all] : *texts)
    if (std::ranges::find(all, "-") != all.end()) return refuse_line(kNoStdin);
  for (const Field& field : request.verb->fields)
    if (field.text_only && texts->contains(field.name) && request.form != AnswerForm::text)
      return refuse_line(fmt::format("'{}' has no effect on JSON", field.name), "leave it out");
  request.fields = *std::move(texts);
  return {};
}

Result<void> read_form(const Json& json, LineRequest& request) {
  const auto form = json.find("as");
  if (form == json.end()) return {};
  const std::string word = form->is_string() ? form->get<std::string>() : dump(*form);
  const auto found = std::ranges::find(kForms, word);
  if (found == kForms.end())
    return refuse_line(fmt::format("there is no form '{}' of an answer", word),
                       "json, picture, cells, text, svg, tex or html");
  request.form = static_cast<AnswerForm>(found - kForms.begin());
  return {};
}

// The place of an error: the value of the field that it is about.
Source source_of(const LineRequest& request, const Diagnostic& error) {
  if (const auto value = value_of(*request.verb, request.fields, error))
    return {value->argument > 0 ? fmt::format("<argument {}>", value->argument)
                                : fmt::format("<{}>", value->field->name),
            value->text};
  return {"<request>", ""};
}

// Keeps the first error of a file, and passes progress on.
class LineObserver : public Observer {
 public:
  LineObserver(const LineRequest& request, const Advanced& advanced)
      : request_(request), advanced_(advanced) {}
  std::shared_ptr<const Source> source_of(std::string_view field, const std::string& text) override {
    Diagnostic about;
    about.field = field;
    if (const auto given = request_.fields.find(field); given != request_.fields.end())
      about.item = static_cast<std::uint32_t>(std::ranges::find(given->second, text) - given->second.begin());
    return std::make_shared<const Source>(verbs::source_of(request_, about));
  }
  void found(const Diagnostic& problem, const std::shared_ptr<const Source>& source) override {
    if (problem.severity != Severity::error || error) return;
    error = problem;
    place = source;
  }
  void advanced(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (advanced_) advanced_(stage, done, total);
  }
  std::optional<Diagnostic> error;
  std::shared_ptr<const Source> place;

 private:
  const LineRequest& request_;
  const Advanced& advanced_;
};

// The error of a question, with the schema of its verb.
LineReply refused(const LineRequest& request, int status, const Diagnostic& error, const Source& source) {
  return {status, with_id(refusal_json(*request.verb, request.fields, status, error, source), request)};
}

// The answer as a document.
Result<std::string> document(const VerbAnswer& answer, AnswerForm form) {
  switch (form) {
    case AnswerForm::text:
      return full_text(answer);
    case AnswerForm::svg:
      return answer.to_picture(PictureFormat::svg);
    case AnswerForm::tex:
      return answer.to_picture(PictureFormat::tex);
    case AnswerForm::html:
      return answer.to_picture(PictureFormat::html);
    case AnswerForm::picture:
      return answer.to_picture(PictureFormat::json);
    case AnswerForm::cells:
      return answer.to_cells();
    case AnswerForm::json:
      break;
  }
  return answer.to_json();
}

// `{"schema":"tessera.show/1","status":0,"as":"svg","text":"..."}`.
std::string wrapped(const LineRequest& request, int status, const std::string& text) {
  const std::string_view name = request.verb->name;
  Json json = Json::object();
  json["schema"] = fmt::format("tessera.{}/1", name.substr(0, name.find(' ')));
  json["status"] = status;
  json["as"] = kForms[static_cast<std::size_t>(request.form)];
  json["text"] = text;
  return dump(json);
}

}  // namespace

Result<std::string> argument_text(const Json& value) {
  if (value.is_string() || value.is_number()) return text_of(value);
  return refuse_line("an argument must be a string or a number");
}

Result<void> check_option(const std::string& name) {
  const bool plain = !name.empty() && name.front() != '-' &&
                     std::ranges::all_of(name, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); });
  if (!plain) return refuse_line(fmt::format("'{}' is not the long name of an option", name));
  for (const char* own : {"json", "output", "report", "color", "quiet", "help", "version"}) {
    if (name == own) return refuse_line(fmt::format("option '{}' is not available in a request", name));
  }
  return {};
}

Result<void> read_request_line(std::string_view line, LineRequest& request, Json& json) {
  const Result<JsonLine> read = read_json_line(line, json);
  if (!read) return fail(read.error());
  if (!json.is_object()) {
    return refuse_line("a request must be an object",
                       R"x({"verb": "map", "args": ["simplify", "() -> (1)"], "id": 1})x");
  }
  if (const auto id = json.find("id"); id != json.end()) {
    if (id->is_structured()) return refuse_line("'id' must be a string, a number, a boolean or null");
    request.id = id->is_number_float() ? read->id : dump(*id);
  }
  if (!read->doubled.empty())
    return refuse_line(fmt::format("the request repeats the key '{}'", read->doubled));
  for (const auto& [key, value] : json.items()) {
    if (key != "verb" && key != "args" && key != "options" && key != "request" && key != "id" &&
        key != "as") {
      return refuse_line(fmt::format("a request has no key '{}'", key),
                         "the keys are verb, request (or args and options), as, and id");
    }
  }
  const auto verb = json.find("verb");
  if (verb == json.end() || !verb->is_string()) return refuse_line("'verb' is missing, or is not a string");
  request.name = verb->get<std::string>();
  if (request.name.starts_with("-")) return refuse_line(fmt::format("there is no verb '{}'", request.name));
  for (const char* own : {"batch", "completion", "help"}) {
    if (request.name == own) return refuse_line(fmt::format("verb '{}' is not available in a request", own));
  }
  if (Result<void> form = read_form(json, request); !form) return form;
  request.verb = find_verb(request.name);
  if (request.verb != nullptr) return read_fields(json, 0, request);
  // The action of `map` may be the first argument.
  const auto args = json.find("args");
  if (args != json.end() && args->is_array() && !args->empty() && args->front().is_string()) {
    request.verb = find_verb(request.name + " " + args->front().get_ref<const std::string&>());
    if (request.verb != nullptr) return read_fields(json, 1, request);
  }
  const bool no_args = args == json.end() || (args->is_array() && args->empty());
  if (request.name != "reshard" || !no_args) return {};
  request.verb = find_verb("reshard plan");
  return read_fields(json, 0, request);
}

std::string with_id(std::string text, const LineRequest& request) {
  if (!request.id.empty()) text.insert(text.find(',') + 1, fmt::format("\"id\":{},", request.id));
  return text;
}

LineReply refused_line(const LineRequest& request, int status, const Diagnostic& problem,
                       const Source& line) {
  return {status, with_id(problem_json("batch", "", status, problem, line), request)};
}

LineReply answer_request(const LineRequest& request, const Advanced& advanced) {
  LineObserver observer(request, advanced);
  Diagnostic refusal;
  const std::unique_ptr<VerbAnswer> answer = request.verb->ask(request.fields, observer, refusal);
  Result<std::string> text = answer ? document(*answer, request.form) : fail(std::move(refusal));
  if (text) {
    const int status = answer->status();
    return {status,
            with_id(request.form <= AnswerForm::cells ? *std::move(text) : wrapped(request, status, *text),
                    request)};
  }
  const int status = status_of(text.error());
  const bool in_file = answer == nullptr || text.error().field == kInFile;
  if (in_file && observer.error) return refused(request, status, *observer.error, *observer.place);
  return refused_request(request, std::move(text.error()));
}

LineReply refused_request(const LineRequest& request, Diagnostic error) {
  const Source source = source_of(request, error);
  error.span = span_in(error, source.text());
  return refused(request, status_of(error), error, source);
}

}  // namespace tessera::verbs
