// SPDX-License-Identifier: Apache-2.0
// `tessera batch`: answers JSON requests, one per line, so that other programs can use it.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/answer_lines.h"
#include "cli/arguments.h"
#include "cli/verbs.h"
#include "report/diagnostic_json.h"
#include "report/json.h"
#include "verbs/in_memory.h"
#include "verbs/request.h"
#include "verbs/request_line.h"

namespace tessera::cli {
namespace {

constexpr const char* kExample =
    R"x({"verb": "map", "args": ["simplify", "() -> (1)"], "options": {}, "id": 1})x";

using detail::dump;
using verbs::LineReply;
using verbs::LineRequest;

Failure refuse(std::string message, std::string help) {
  Diagnostic diagnostic{.code = Code::bad_option, .message = std::move(message)};
  diagnostic.help = std::move(help);
  return fail(std::move(diagnostic));
}

// Adds `--name=value` for each option of the request, and for each element of a list.
Result<void> add_options(const Json& options, std::vector<std::string>& arguments) {
  if (!options.is_object())
    return refuse("'options' must be an object that maps long option names to values", kExample);
  for (const auto& [name, value] : options.items()) {
    if (name == "json" && value.is_boolean()) continue;  // answers are always JSON
    if (const Result<void> checked = verbs::check_option(name); !checked) return checked;
    if (value.is_null() || (value.is_boolean() && !value.get<bool>())) continue;
    if (value.is_boolean()) {
      arguments.push_back("--" + name);
      continue;
    }
    const Json one = Json::array({value});
    for (const Json& each : value.is_array() ? value : one) {
      Result<std::string> text = verbs::argument_text(each);
      if (!text && each.is_number()) return fail(text.error());
      if (!text)
        return refuse(
            fmt::format("option '{}' must be a string, a number, a list of them, or a boolean", name),
            kExample);
      arguments.push_back(fmt::format("--{}={}", name, *text));
    }
  }
  return {};
}

// The arguments of a verb without requests, in the order of the command line.
Result<std::vector<std::string>> arguments_of(const LineRequest& request, const Json& json) {
  std::vector<std::string> arguments = {request.name};
  if (json.contains("request"))
    return refuse(fmt::format("verb '{}' has no schema of requests", request.name),
                  "give args and options; tessera schema lists the verbs that have one");
  if (request.form != verbs::AnswerForm::json)
    return refuse(fmt::format("answers of verb '{}' have no form but json", request.name), "leave out 'as'");
  std::vector<std::string> positional;
  if (const auto args = json.find("args"); args != json.end()) {
    if (!args->is_array()) return refuse("'args' must be an array of strings", kExample);
    for (const Json& value : *args) {
      Result<std::string> text = verbs::argument_text(value);
      if (!text) return fail(text.error());
      positional.push_back(std::move(*text));
    }
  }
  std::size_t first = 0;
  // The actions of `map` and `reshard` are subcommands and come before the options.
  const bool is_map = request.name == "map";
  if (is_map || (request.name == "reshard" && !positional.empty())) {
    if (positional.empty() || positional[0].starts_with("-")) {
      return is_map
                 ? refuse(
                       "the first element of 'args' must be the action of map",
                       "simplify, compose, inverse, eval, equal, within, image or count: tessera map --help "
                       "lists them")
                 : refuse("the first element of 'args' must be the action of reshard",
                          "plan, at, places, convert, equal or show: tessera reshard --help lists them");
    }
    arguments.push_back(positional[0]);
    first = 1;
  }
  arguments.emplace_back("--json");
  if (const auto options = json.find("options"); options != json.end()) {
    if (Result<void> added = add_options(*options, arguments); !added) return fail(added.error());
  }
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), positional.begin() + static_cast<std::ptrdiff_t>(first),
                   positional.end());
  return arguments;
}

// A line that is not a request is bad input, unless a limit was reached.
int status_of_line(const Diagnostic& error) { return verbs::bad_input(error).status; }

// Runs the program itself for a verb without requests.
LineReply run_arguments(const LineRequest& request, std::vector<std::string> arguments) {
  Output out;
  Output err;
  Session session(std::move(arguments), out, err, /*request=*/true);
  const int status = run(session);
  const std::string& text = out.text();
  if (text.empty() && status != kDone) {
    const auto error = std::ranges::find(session.diagnostics(), Severity::error,
                                         [](const ShownDiagnostic& one) { return one.diagnostic.severity; });
    if (error != session.diagnostics().end()) {
      return {status,
              verbs::with_id(session.problem_json(status, error->diagnostic, *error->source), request)};
    }
  }
  return {status, verbs::with_id(dump(Json::parse(text)), request)};
}

// Answers one line of stdin, whatever it contains.
LineReply answer_line(std::string_view line, std::size_t number) {
  const Source source("<stdin>", std::string(line), number);
  LineRequest request;
  const auto refused = [&](const Diagnostic& diagnostic) {
    return verbs::refused_line(request, status_of_line(diagnostic), diagnostic, source);
  };
  try {
    Json json;
    if (const Result<void> read = verbs::read_request_line(line, request, json); !read)
      return refused(read.error());
    if (request.verb != nullptr) {
      auto reply = verbs::in_memory([&]() -> Result<LineReply> { return verbs::answer_request(request); });
      return reply ? *std::move(reply) : verbs::refused_request(request, std::move(reply.error()));
    }
    Result<std::vector<std::string>> arguments = arguments_of(request, json);
    return arguments ? run_arguments(request, *std::move(arguments)) : refused(arguments.error());
  } catch (const std::bad_alloc&) {
    return refused({.code = Code::limit,
                    .message = "out of memory",
                    .help = "ulimit -v shows the memory limit of the program"});
  }
}

int run_batch(Session& session) {
  int status = kDone;
  const auto [destination, failed] = Destination::open(session);
  if (destination == nullptr) return failed;
  Output& out = destination->output();
  status = answer_lines(session, out, "batch", [&](const InputLine& line) {
    const LineReply reply =
        line.too_long
            ? verbs::refused_line({}, kFailed,
                                  {.code = Code::limit, .message = "the request is longer than 64 MiB"},
                                  Source("<stdin>", "", line.number))
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
