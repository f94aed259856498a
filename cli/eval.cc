// SPDX-License-Identifier: Apache-2.0
// `tessera eval`: the layout algebra as a calculator.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "cli/answer_lines.h"
#include "cli/eval_help.h"
#include "cli/repl.h"
#include "cli/verbs.h"
#include "report/eval_answer.h"
#include "tessera/eval/evaluator.h"

namespace tessera::cli {
namespace {

struct EvalQuestion {
  std::vector<std::string> texts;
  bool explain = false;
  bool list = false;
  bool no_history = false;
};

// Writes the answers of one text. Each line of stdin gets exactly one line, even if it has no answer.
int write_answer(Session& session, Destination& destination, const Evaluation& evaluation,
                 const std::shared_ptr<const Source>& source, bool line) {
  Output& out = destination.output();
  if (destination.format() == Format::json) {
    out.write(to_json(evaluation, *source) + "\n");
  } else {
    out.write(to_text(evaluation, {.one_line = line}));
    if (line && evaluation.error) out.write(problem_line(*evaluation.error) + "\n");
  }
  // The answer comes before the notes about it.
  if (!evaluation.notes.empty() || evaluation.error) out.flush();
  for (const std::string& note : evaluation.notes) session.note(note);
  if (evaluation.error && destination.format() == Format::json) {
    session.report_answered(*evaluation.error, source);
  } else if (evaluation.error) {
    session.report(*evaluation.error, source);
  }
  return status_of(evaluation);
}

int answer_stdin(Session& session, Destination& destination, Evaluator& evaluator, bool explain,
                 std::size_t& lines) {
  return answer_lines(session, destination.output(), "-", [&](const InputLine& line) {
    ++lines;
    const auto source = std::make_shared<const Source>("<stdin>", std::string(line.text), line.number);
    Evaluation evaluation;
    if (line.too_long) {
      evaluation.error = Diagnostic{.code = Code::limit, .message = "the line is longer than 64 MiB"};
    } else {
      evaluation = evaluator.evaluate(source->text(), explain);
    }
    return write_answer(session, destination, evaluation, source, true);
  });
}

int refuse(Session& session, const char* message, std::string_view argument, const char* help = "") {
  Diagnostic diagnostic{.code = Code::bad_option, .message = message};
  diagnostic.help = help;
  session.report_argument(std::move(diagnostic), argument);
  return kBadInput;
}

int refuse_nothing(Session& session) {
  return refuse(session, "EXPR is missing", "",
                "usage: tessera eval [options] [EXPR...]; without EXPR, one per line from stdin");
}

int answer_expressions(Session& session, const EvalQuestion& question) {
  const auto dashes = std::ranges::count(question.texts, "-");
  if (dashes > 1) return refuse(session, "only one argument can be '-' (stdin)", "-");
  if (dashes > 0 && session.is_request()) {
    return refuse(session, kNoStdin, "-");
  }
  if (question.texts.size() > 1 && session.is_request()) {
    return refuse(session, "a request has one expression", question.texts[1], "join the statements with ';'");
  }
  const bool piped = question.texts.empty() && !question.list;
  if (piped && session.is_request()) return refuse_nothing(session);
  if (piped && ::isatty(0) != 0 && ::isatty(1) != 0 && !session.options.json &&
      session.options.output.empty())
    return run_repl(session, question.explain, !question.no_history);
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  if (question.list) {
    const bool json = destination->format() == Format::json;
    destination->output().write(json ? to_json(eval_functions()) + "\n" : function_list());
    return destination->finish(kDone);
  }
  Evaluator evaluator;
  std::size_t lines = 0;
  if (piped) {
    status = answer_stdin(session, *destination, evaluator, question.explain, lines);
    if (lines == 0 && status == kDone) status = refuse_nothing(session);
  }
  for (std::size_t i = 0; i < question.texts.size(); ++i) {
    if (question.texts[i] == "-") {
      status = std::max(status, answer_stdin(session, *destination, evaluator, question.explain, lines));
      continue;
    }
    const auto source =
        std::make_shared<const Source>(fmt::format("<argument {}>", i + 1), question.texts[i]);
    status =
        std::max(status, write_answer(session, *destination,
                                      evaluator.evaluate(source->text(), question.explain), source, false));
  }
  return destination->finish(status);
}

}  // namespace

void add_eval(CLI::App& app, Session& session) {
  CLI::App* eval = app.add_subcommand("eval", "the layout algebra as a calculator");
  auto question = std::make_shared<EvalQuestion>();
  eval->add_option(
      "EXPR", question->texts,
      "statements separated by ;, with variables; -, or no argument, reads one text per line from stdin; "
      "on a terminal, no argument starts a prompt");
  eval->add_flag("--explain", question->explain, "show the steps of every call");
  eval->add_flag("--list", question->list, "list all functions");
  eval->add_flag(
      "--no-history", question->no_history,
      "do not save the prompt's history (TESSERA_HISTORY names its file; if empty, nothing is saved)");
  add_common_options(*eval, session);
  eval->footer(
      R"(Layouts, tilers, coordinates and swizzles are in CuTe's notation; functions have their usual names; L(2,3) is the
offset of a coordinate. Exit status 1: an answer is 'false', or no layout has the result's values.

Examples:
  tessera eval 'logical_divide((2,4,3):(4,1,8), 4:2)'
  tessera eval 'L = (4,8):(8,1); L(2,3); right_inverse(L)'
  echo 'size((4,8)) / 4' | tessera eval
  tessera eval --explain 'composition((6,2):(8,2), (4,3):(3,1))'
  tessera eval 'composition((4,6,8):(2,3,5), 6:3)' 2> /dev/null
  tessera eval 'print_layout(Sw<2,0,2> o _0 o (4,4):(4,1))'
  tessera eval --list)");
  eval->callback([&session, question] {
    session.action = [&session, question] { return answer_expressions(session, *question); };
  });
}

}  // namespace tessera::cli
