// SPDX-License-Identifier: Apache-2.0
#include "cli/question.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/answer_lines.h"
#include "verbs/request.h"

namespace tessera::cli {
namespace {

// The texts of one question, and their names in diagnostics.
struct Named {
  const Inputs& inputs;
  const std::vector<std::string>& options;
  std::size_t line_input;  // the input that comes from stdin; inputs.size() if none does
  std::size_t line_number;

  bool is_line() const { return line_input < inputs.size(); }
  std::shared_ptr<const Source> source(std::size_t input) const {
    if (input == line_input) return std::make_shared<const Source>("<stdin>", inputs[input], line_number);
    const bool is_option = input < options.size() && !options[input].empty();
    return std::make_shared<const Source>(
        is_option ? fmt::format("<{}>", options[input]) : fmt::format("<argument {}>", input + 1),
        inputs[input]);
  }
};

std::string full_text(const PrintedAnswer& answer) {
  std::string text = answer.heading.empty() ? answer.text : answer.heading + "\n" + answer.text;
  for (const std::string& note : answer.notes) text += "\nnote: " + note;
  return text;
}

// Writes one answer. Each line of stdin gets exactly one line, even if it has no answer.
int write_answer(Session& session, Destination& destination, const PrintedAnswer& answer,
                 const Named& named) {
  const bool json = destination.format() == Format::json;
  Output& out = destination.output();
  const auto report = [&](const InputError& problem, bool answered) {
    const std::shared_ptr<const Source> source = named.source(problem.input);
    if (answered) {
      session.report_answered(problem.diagnostic, source);
    } else {
      session.report(problem.diagnostic, source);
    }
  };
  if (!answer.problem) {
    out.write((json                                       ? answer.json
               : named.is_line() && !answer.line.empty()  ? answer.line
               : named.is_line() || session.options.quiet ? answer.text
                                                          : full_text(answer)) +
              "\n");
    if (!named.is_line())
      for (const std::string& hint : answer.hints) session.note(hint);
    for (const InputError& part : answer.parts) report(part, json);
    return answer.status;
  }
  const InputError& problem = *answer.problem;
  if (named.is_line()) {
    const std::shared_ptr<const Source> source = named.source(problem.input);
    out.write((json ? session.problem_json(problem.status, problem.diagnostic, *source)
                    : problem_line(problem.diagnostic)) +
              "\n");
  }
  report(problem, json && named.is_line());
  return problem.status;
}

int answer_stdin(Session& session, Destination& destination, const Question& question, std::size_t input) {
  Inputs inputs = question.inputs;
  return answer_lines(session, destination.output(), "-", [&](const InputLine& line) {
    inputs[input] = line.text;
    const PrintedAnswer answer =
        line.too_long ? unreadable({.code = Code::limit, .message = "the line is longer than 64 MiB"}, input)
                      : question.ask(inputs);
    return write_answer(session, destination, answer, {inputs, question.options, input, line.number});
  });
}

}  // namespace

PrintedAnswer unreadable(Diagnostic diagnostic, std::size_t input) {
  const int status = verbs::bad_input(diagnostic).status;
  return {.status = status, .problem = InputError{std::move(diagnostic), input, status}};
}

PrintedAnswer no_answer(Diagnostic diagnostic, std::size_t input) {
  const int status = status_of(diagnostic);
  return {.status = status, .problem = InputError{std::move(diagnostic), input, status}};
}

int answer(Session& session, const Question& question) {
  const auto dashes = std::ranges::count(question.inputs, "-");
  if (dashes > 1 || (dashes > 0 && session.is_request())) {
    session.report_argument(
        {.code = Code::bad_option, .message = dashes > 1 ? "only one argument can be '-' (stdin)" : kNoStdin},
        "-");
    return kBadInput;
  }
  int status = kDone;
  const auto [destination, failed] = Destination::open(session);
  if (destination == nullptr) return failed;
  const auto input =
      static_cast<std::size_t>(std::ranges::find(question.inputs, "-") - question.inputs.begin());
  if (dashes == 1) {
    status = answer_stdin(session, *destination, question, input);
  } else {
    const Named named{question.inputs, question.options, input, 1};
    status = write_answer(session, *destination, question.ask(question.inputs), named);
  }
  return destination->finish(status);
}

}  // namespace tessera::cli
