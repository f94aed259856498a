// SPDX-License-Identifier: Apache-2.0
// `tessera batch`: answers JSON requests, one per line, so that other programs can use it.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "cli/answer_lines.h"
#include "cli/arguments.h"
#include "cli/verbs.h"
#include "report/diagnostic_json.h"
#include "report/json.h"
#include "verbs/in_memory.h"
#include "verbs/json_request.h"

namespace tessera::cli {
namespace {

struct BatchRequest {
  std::string id;                      // as JSON; empty if the request has none
  std::vector<std::string> arguments;  // in the order of the command line
  const verbs::Verb* verb = nullptr;   // if it takes requests
  verbs::FieldTexts fields = {};
};

using detail::dump;

Failure refuse(std::string message, std::string help = {}) {
  Diagnostic diagnostic{.code = Code::bad_option, .message = std::move(message)};
  diagnostic.help = help.empty()
                        ? R"x({"verb": "map", "args": ["simplify", "() -> (1)"], "options": {}, "id": 1})x"
                        : std::move(help);
  return fail(std::move(diagnostic));
}

Result<std::string> argument_text(const Json& value) {
  if (value.is_string() || value.is_number()) return verbs::text_of(value);
  return refuse("an argument must be a string or a number");
}

// Keeps the text of a numeric `id`, because it may have more digits than a machine number.
class NumberOfId : public nlohmann::json_sax<Json> {
 public:
  const std::string& text() const { return text_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string& written) override {
    if (depth_ == 1 && here_) text_ = written;
    return true;
  }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool key(std::string& name) override {
    if (depth_ == 1) here_ = name == "id";
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  int depth_ = 0;
  bool here_ = false;  // true if the last top-level key was `id`
  std::string text_;
};

std::string id_text(const Json& id, std::string_view line) {
  if (!id.is_number_float()) return dump(id);
  NumberOfId reader;
  Json::sax_parse(line, &reader);
  return reader.text();
}

// Describes the byte at which JSON parsing failed.
std::string unexpected(std::string_view line, std::size_t at) {
  if (at >= line.size()) return "unexpected end of line";
  const auto byte = static_cast<unsigned char>(line[at]);
  return byte > 0x20 && byte < 0x7f ? fmt::format("unexpected '{}'", line[at])
                                    : fmt::format("unexpected byte 0x{:02x}", byte);
}

Result<void> check_option(const std::string& name) {
  const bool plain = !name.empty() && name.front() != '-' &&
                     std::ranges::all_of(name, [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); });
  if (!plain) return refuse(fmt::format("'{}' is not the long name of an option", name));
  for (const char* own : {"json", "output", "report", "color", "quiet", "help", "version"}) {
    if (name == own) return refuse(fmt::format("option '{}' is not available in a request", name));
  }
  return {};
}

// Adds `--name=value` for each option of the request, and for each element of a list.
Result<void> add_options(const Json& options, std::vector<std::string>& arguments) {
  if (!options.is_object())
    return refuse("'options' must be an object that maps long option names to values");
  for (const auto& [name, value] : options.items()) {
    if (name == "json" && value.is_boolean()) continue;  // answers are always JSON
    if (const Result<void> checked = check_option(name); !checked) return checked;
    if (value.is_null() || (value.is_boolean() && !value.get<bool>())) continue;
    if (value.is_boolean()) {
      arguments.push_back("--" + name);
      continue;
    }
    const Json one = Json::array({value});
    for (const Json& each : value.is_array() ? value : one) {
      Result<std::string> text = argument_text(each);
      if (!text && each.is_number()) return fail(text.error());
      if (!text)
        return refuse(
            fmt::format("option '{}' must be a string, a number, a list of them, or a boolean", name));
      arguments.push_back(fmt::format("--{}={}", name, *text));
    }
  }
  return {};
}

// The fields from `request`, or from `args` and `options`, which name them as the command line does.
Result<void> read_fields(const Json& json, BatchRequest& request) {
  if (json.contains("request") && (json.contains("args") || json.contains("options")))
    return refuse("'request' has all fields", "leave out 'args' and 'options'");
  Json fields = json.value("request", Json::object());
  if (!fields.is_object()) return refuse("'request' must be an object");
  const Json args = json.value("args", Json::array());
  if (!args.is_array()) return refuse("'args' must be an array of strings");
  std::size_t used = 0;
  for (const verbs::Field& field : request.verb->fields) {
    if (!field.argument) continue;
    Json values = Json::array();
    while (used < args.size() && (field.repeated || values.empty())) {
      const Result<std::string> text = argument_text(args[used++]);
      if (!text) return fail(text.error());
      values.push_back(*text);
    }
    if (!values.empty()) fields[std::string(field.name)] = std::move(values);
  }
  if (used < args.size() && std::ranges::any_of(request.verb->fields, &verbs::Field::each))
    return refuse("a request has one question", "send a request for each");
  if (used < args.size()) return refuse(fmt::format("one argument too many: {}", dump(args[used])));
  const Json options = json.value("options", Json::object());
  if (!options.is_object())
    return refuse("'options' must be an object that maps long option names to values");
  for (const auto& [name, value] : options.items()) {
    if (name == "json" && value.is_boolean()) continue;  // answers are always JSON
    if (const Result<void> checked = check_option(name); !checked) return checked;
    std::string key = name;
    std::ranges::replace(key, '-', '_');
    const auto field = std::ranges::find(request.verb->fields, key, &verbs::Field::name);
    if (name == "force" && value.is_boolean() && field == request.verb->fields.end())
      continue;  // nothing to replace
    if (field != request.verb->fields.end() && field->argument)
      return refuse(fmt::format("'{}' is an argument, not an option", name), "give it in 'args'");
    fields[key] = value;
  }
  Result<verbs::FieldTexts> texts = verbs::field_texts(fields);
  if (!texts) return fail(std::move(texts.error()));
  for (const auto& [name, all] : *texts)
    if (std::ranges::find(all, "-") != all.end()) return refuse(kNoStdin);
  for (const verbs::Field& field : request.verb->fields)
    if (field.text_only && texts->contains(field.name))
      return refuse(fmt::format("'{}' has no effect on JSON", field.name), "leave it out");
  request.fields = *std::move(texts);
  return {};
}

Result<void> read_request(std::string_view line, BatchRequest& request) {
  std::set<std::pair<int, std::string>> keys;
  std::string doubled;
  const Json json = Json::parse(line, [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::key && !keys.emplace(depth, parsed.get<std::string>()).second)
      doubled = parsed.get<std::string>();
    return true;
  });
  if (!json.is_object()) {
    return refuse("a request must be an object",
                  R"x({"verb": "map", "args": ["simplify", "() -> (1)"], "id": 1})x");
  }
  if (const auto id = json.find("id"); id != json.end()) {
    if (id->is_structured()) return refuse("'id' must be a string, a number, a boolean or null");
    request.id = id_text(*id, line);
  }
  if (!doubled.empty()) return refuse(fmt::format("the request repeats the key '{}'", doubled));
  for (const auto& [key, value] : json.items()) {
    if (key != "verb" && key != "args" && key != "options" && key != "request" && key != "id") {
      return refuse(fmt::format("a request has no key '{}'", key),
                    "the keys are verb, request (or args and options), and id");
    }
  }
  const auto verb = json.find("verb");
  if (verb == json.end() || !verb->is_string()) return refuse("'verb' is missing, or is not a string");
  request.arguments.push_back(verb->get<std::string>());
  if (request.arguments[0].starts_with("-"))
    return refuse(fmt::format("there is no verb '{}'", request.arguments[0]));
  for (const char* own : {"batch", "completion", "help"}) {
    if (request.arguments[0] == own)
      return refuse(fmt::format("verb '{}' is not available in a request", own));
  }
  request.verb = verbs::find_verb(request.arguments[0]);
  if (request.verb != nullptr) return read_fields(json, request);
  // The action of `map` may be the first argument.
  if (const auto args = json.find("args");
      args != json.end() && args->is_array() && !args->empty() && args->front().is_string()) {
    request.verb = verbs::find_verb(request.arguments[0] + " " + args->front().get_ref<const std::string&>());
    if (request.verb != nullptr) {
      Json rest = json;
      rest["args"].erase(0);
      return read_fields(rest, request);
    }
  }
  if (request.arguments[0] == "reshard" && json.value("args", Json::array()).empty()) {
    request.verb = verbs::find_verb("reshard plan");
    return read_fields(json, request);
  }
  if (json.contains("request"))
    return refuse(fmt::format("verb '{}' has no schema of requests", request.arguments[0]),
                  "give args and options; tessera schema lists the verbs that have one");
  std::vector<std::string> positional;
  if (const auto args = json.find("args"); args != json.end()) {
    if (!args->is_array()) return refuse("'args' must be an array of strings");
    for (const Json& value : *args) {
      Result<std::string> text = argument_text(value);
      if (!text) return fail(text.error());
      positional.push_back(std::move(*text));
    }
  }
  std::size_t first = 0;
  // The actions of `map` and `reshard` are subcommands and come before the options.
  const bool is_map = request.arguments[0] == "map";
  if (is_map || (request.arguments[0] == "reshard" && !positional.empty())) {
    if (positional.empty() || positional[0].starts_with("-")) {
      return is_map ? refuse("the first element of 'args' must be the action of map",
                             "simplify, compose, inverse, eval, equal, image or count: tessera map --help "
                             "lists them")
                    : refuse("the first element of 'args' must be the action of reshard",
                             "plan, at, places, convert, equal or show: tessera reshard --help lists them");
    }
    request.arguments.push_back(positional[0]);
    first = 1;
  }
  request.arguments.emplace_back("--json");
  if (const auto options = json.find("options"); options != json.end()) {
    if (Result<void> added = add_options(*options, request.arguments); !added) return added;
  }
  request.arguments.emplace_back("--");
  request.arguments.insert(request.arguments.end(), positional.begin() + static_cast<std::ptrdiff_t>(first),
                           positional.end());
  return {};
}

// Inserts the id after the schema, which comes first and contains no comma.
std::string with_id(std::string text, const BatchRequest& request) {
  if (!request.id.empty()) text.insert(text.find(',') + 1, fmt::format("\"id\":{},", request.id));
  return text;
}

struct BatchReply {
  int status = kDone;
  std::string text;
};

// Refuses a line that is not a request.
BatchReply refusal(const BatchRequest& request, int status, const ShownDiagnostic& problem) {
  return {status, with_id(problem_json("batch", "", status, problem.diagnostic, *problem.source), request)};
}

// The place of an error: the value of the field that it is about.
Source source_of(const BatchRequest& request, const Diagnostic& error) {
  if (const auto value = verbs::value_of(*request.verb, request.fields, error))
    return {value->argument > 0 ? fmt::format("<argument {}>", value->argument)
                                : fmt::format("<{}>", value->field->name),
            value->text};
  return {"<request>", ""};
}

// Keeps the first error of a file.
class BatchObserver : public verbs::Observer {
 public:
  explicit BatchObserver(const BatchRequest& request) : request_(request) {}
  std::shared_ptr<const Source> source_of(std::string_view field, const std::string& text) override {
    Diagnostic about;
    about.field = field;
    if (const auto given = request_.fields.find(field); given != request_.fields.end())
      about.item = static_cast<std::uint32_t>(std::ranges::find(given->second, text) - given->second.begin());
    return std::make_shared<const Source>(cli::source_of(request_, about));
  }
  void found(const Diagnostic& problem, const std::shared_ptr<const Source>& source) override {
    if (problem.severity == Severity::error && !error) error = ShownDiagnostic{problem, source};
  }
  std::optional<ShownDiagnostic> error;

 private:
  const BatchRequest& request_;
};

// The error of a question, with the schema of its verb.
BatchReply refused(const BatchRequest& request, int status, const Diagnostic& error, const Source& source) {
  return {status,
          with_id(verbs::refusal_json(*request.verb, request.fields, status, error, source), request)};
}

BatchReply answer_fields(const BatchRequest& request) {
  BatchObserver observer(request);
  std::unique_ptr<verbs::VerbAnswer> answer;
  Result<std::string> json = verbs::in_memory([&]() -> Result<std::string> {
    Diagnostic refusal;
    answer = request.verb->ask(request.fields, observer, refusal);
    return answer ? answer->to_json() : fail(std::move(refusal));
  });
  if (json)
    return {answer->status(), with_id(answer->in_parts() ? *json : dump(Json::parse(*json)), request)};
  const int status = status_of(json.error());
  const bool in_file = answer == nullptr || json.error().field == verbs::kInFile;
  if (in_file && observer.error)
    return refused(request, status, observer.error->diagnostic, *observer.error->source);
  const Source source = source_of(request, json.error());
  json.error().span = verbs::span_in(json.error(), source.text());
  return refused(request, status, json.error(), source);
}

BatchReply answer(const BatchRequest& request) {
  if (request.verb != nullptr) return answer_fields(request);
  Output out;
  Output err;
  Session session(request.arguments, out, err, /*request=*/true);
  const int status = run(session);
  const std::string& text = out.text();
  if (text.empty() && status != kDone) {
    const auto error = std::ranges::find(session.diagnostics(), Severity::error,
                                         [](const ShownDiagnostic& one) { return one.diagnostic.severity; });
    if (error != session.diagnostics().end()) {
      return {status, with_id(session.problem_json(status, error->diagnostic, *error->source), request)};
    }
  }
  return {status, with_id(dump(Json::parse(text)), request)};
}

// Answers one line of stdin, whatever it contains.
BatchReply answer_line(std::string_view line, std::size_t number) {
  const auto source = std::make_shared<const Source>("<stdin>", std::string(line), number);
  BatchRequest request;
  const auto refused = [&](Diagnostic diagnostic) {
    return refusal(request, kBadInput, {std::move(diagnostic), source});
  };
  try {
    if (const Result<void> read = read_request(line, request); !read) return refused(read.error());
    return answer(request);
  } catch (const Json::parse_error& error) {
    const std::size_t at = error.byte > 0 ? error.byte - 1 : 0;
    const auto place = static_cast<std::uint32_t>(at);
    return refused(
        {.code = Code::syntax,
         .message = "the request is not JSON: " + unexpected(line, at),
         .span = {place, place + 1},
         .help = R"x({"verb": "map", "args": ["simplify", "() -> (1)"], "options": {}, "id": 1})x"});
  } catch (const Json::out_of_range&) {
    return refused({.code = Code::number_range,
                    .message = "the request has a number beyond the range of a double",
                    .help = "write it as a string"});
  } catch (const std::bad_alloc&) {
    return refusal(request, kFailed,
                   {{.code = Code::limit,
                     .message = "out of memory",
                     .help = "ulimit -v shows the memory limit of the program"},
                    source});
  }
}

int run_batch(Session& session) {
  int status = kDone;
  const auto [destination, failed] = Destination::open(session);
  if (destination == nullptr) return failed;
  Output& out = destination->output();
  status = answer_lines(session, out, "batch", [&](const InputLine& line) {
    const BatchReply reply =
        line.too_long ? refusal({}, kFailed,
                                {{.code = Code::limit, .message = "the request is longer than 64 MiB"},
                                 std::make_shared<const Source>("<stdin>", "", line.number)})
                      : answer_line(line.text, line.number);
    out.write(reply.text);
    out.write("\n");
    return reply.status;
  });
  return destination->finish(status);
}

}  // namespace

void add_batch(CLI::App& app, Session& session) {
  CLI::App* batch = app.add_subcommand("batch", "answer JSON requests from stdin, one per line");
  add_common_options(*batch, session);
  batch->footer(
      R"(A request: {"verb": "map", "args": ["simplify", "MAP"], "options": {"points": "preserve"}, "id": 1}
Arguments are in order, options have their long names; an option that may be repeated takes a list. Each answer is one
line: the object that --json prints, with the request's 'id' and, as 'status', the exit status of the command line. A
failed request has an 'error'. The program ends when stdin ends, with the worst status.

Examples:
  echo '{"verb": "map", "args": ["simplify", "(d0) -> (d0 mod 8), domain: d0 in [0, 7]"], "id": 1}' | tessera batch
  echo '{"verb": "hlo", "args": ["examples/hlo/transformer_block.hlo"], "options": {"op": "dot"}}' | tessera batch)");
  batch->callback([&session] { session.action = [&session] { return run_batch(session); }; });
}

}  // namespace tessera::cli
