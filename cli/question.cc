// SPDX-License-Identifier: Apache-2.0
#include "cli/question.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "cli/line_reader.h"

namespace tessera::cli {
namespace {

// Texts of one question, and how they are called in diagnostics.
struct Named {
  const Inputs& inputs;
  std::size_t line_input;  // the input that comes from stdin; inputs.size() for none
  std::size_t line_number;

  bool is_line() const { return line_input < inputs.size(); }
  std::shared_ptr<const Source> source(std::size_t input) const {
    if (input == line_input) return std::make_shared<const Source>("<stdin>", inputs[input], line_number);
    return std::make_shared<const Source>(fmt::format("<argument {}>", input + 1), inputs[input]);
  }
};

// Writes the answer of one question; an answer of stdin's lines is a line even where there is none.
int write_answer(Session& session, Destination& destination, const Question& question, const Answer& answer,
                 const Named& named) {
  const bool json = destination.format() == Format::json;
  Output& out = destination.output();
  if (!answer.problem) {
    const std::string& text = named.is_line() && !answer.line.empty() ? answer.line : answer.text;
    out.write(json ? answer.json : text);
    out.write("\n");
    return answer.status;
  }
  const Problem& problem = *answer.problem;
  const std::shared_ptr<const Source> source = named.source(problem.input);
  if (json) {
    out.write(question.problem_json(problem.status, problem.diagnostic, *source) + "\n");
  } else if (named.is_line()) {
    const std::string& witness = problem.diagnostic.witness;
    out.write(to_string(problem.diagnostic) +
              (witness.empty() ? "" : fmt::format(" (witness: {})", witness)) + "\n");
  }
  session.report(problem.diagnostic, source);
  return problem.status;
}

int answer_lines(Session& session, Destination& destination, const Question& question, std::size_t input) {
  LineReader reader(0);
  Inputs inputs = question.inputs;
  int status = kDone;
  for (std::size_t number = 1;; ++number) {
    std::string_view line;
    const LineReader::Status read = reader.next(line);
    if (read == LineReader::Status::end) return status;
    if (read == LineReader::Status::failed) {
      session.report_argument(
          {.code = Code::file_read,
           .message = fmt::format("stdin cannot be read: {}", std::strerror(reader.error()))},
          "-");
      return kFailed;
    }
    const Named named{inputs, input, number};
    Answer answer;
    if (read == LineReader::Status::too_long) {
      inputs[input].clear();
      answer = unreadable({.code = Code::limit, .message = "the line is longer than 64 MiB"}, input);
    } else {
      inputs[input] = line;
      answer = question.ask(inputs);
    }
    status = std::max(status, write_answer(session, destination, question, answer, named));
    // Programs that write a line and wait for its answer get it at once.
    if (!reader.has_line()) {
      destination.output().flush();
      session.err().flush();
    }
    if (destination.output().error() != 0) return status;
  }
}

}  // namespace

Answer unreadable(Diagnostic diagnostic, std::size_t input) {
  const int status = diagnostic.code == Code::limit ? kFailed : kBadInput;
  return {.status = status, .problem = Problem{std::move(diagnostic), input, status}};
}

Answer no_answer(Diagnostic diagnostic, std::size_t input) {
  const int status = status_of(diagnostic.code);
  return {.status = status, .problem = Problem{std::move(diagnostic), input, status}};
}

int answer(Session& session, const Question& question) {
  const auto dashes = std::ranges::count(question.inputs, "-");
  if (dashes > 1 || (dashes > 0 && session.is_request())) {
    session.report_argument({.code = Code::bad_option,
                             .message = dashes > 1 ? "only one argument can come from stdin"
                                                   : "a request has no stdin of its own: '-' cannot be read"},
                            "-");
    return kBadInput;
  }
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  const auto input =
      static_cast<std::size_t>(std::ranges::find(question.inputs, "-") - question.inputs.begin());
  if (dashes == 1) {
    status = answer_lines(session, *destination, question, input);
  } else {
    const Named named{question.inputs, input, 1};
    status = write_answer(session, *destination, question, question.ask(question.inputs), named);
  }
  return destination->finish(status);
}

}  // namespace tessera::cli
