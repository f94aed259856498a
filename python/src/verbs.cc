// SPDX-License-Identifier: Apache-2.0
// Runs the verbs of the command line in this process.
#include <fmt/format.h>
#include <nanobind/stl/map.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/arguments.h"
#include "cli/program.h"
#include "cli/session.h"
#include "python/src/errors.h"
#include "python/src/python.h"
#include "verbs/verb.h"

namespace tessera::python {
namespace {

// Options as keywords: `--bytes 4` is `bytes=4`, and `--base-align` is `base_align`.
std::string with_keywords(std::string_view text) {
  std::string out;
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool option = text.substr(at).starts_with("--") && at + 2 < text.size() && letter(text[at + 2]) &&
                        (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\'' || text[at - 1] == '<');
    if (!option) {
      out += text[at];
      continue;
    }
    for (at += 2; at < text.size() && (letter(text[at]) || text[at] == '-'); ++at)
      out += text[at] == '-' ? '_' : text[at];
    const bool value = at + 1 < text.size() && text[at] == ' ' && text[at + 1] >= '0' && text[at + 1] <= '9';
    if (value) {
      out += '=';
    } else {
      --at;
    }
  }
  return out;
}

// Nobody typed a command: messages name the keywords of the function.
Diagnostic with_keywords(Diagnostic diagnostic) {
  diagnostic.message = with_keywords(diagnostic.message);
  diagnostic.help = with_keywords(diagnostic.help);
  for (std::string& note : diagnostic.notes) note = with_keywords(note);
  return diagnostic;
}

// Runs a verb with its arguments. Returns the exit status and the text that the verb wrote. If it wrote
// nothing, raises its error.
std::pair<int, std::string> run_verb(std::vector<std::string> arguments, nb::object progress) {
  cli::Output out;
  cli::Output err;
  cli::Session session(std::move(arguments), out, err, /*request=*/true);
  session.keywords = true;
  session.progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    const nb::gil_scoped_acquire acquire;
    // An interrupt or an exception from the callback ends the work. Destructors then remove unfinished files.
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(stage, done, total);
  };
  const int status = released([&] { return cli::run(session); });
  if (out.text().empty() && status != kDone) {
    for (const cli::ShownDiagnostic& shown : session.diagnostics()) {
      if (shown.diagnostic.severity != Severity::error) continue;
      if (shown.source->text().empty()) raise(with_keywords(shown.diagnostic));  // no argument is at fault
      const Source& source = *shown.source;
      if (!source.name().starts_with("<--")) raise(with_keywords(shown.diagnostic), source);
      raise(with_keywords(shown.diagnostic),
            Source(with_keywords(source.name()), std::string(source.text())));
    }
  }
  return {status, out.text()};
}

// A verb's answer, which makes its text and its JSON when they are asked for.
struct AnsweredVerb {
  std::unique_ptr<verbs::VerbAnswer> value;
};

AnsweredVerb ask_verb(const std::string& name, const std::map<std::string, std::string>& fields) {
  const verbs::Verb* const verb = verbs::find_verb(name);
  const verbs::FieldTexts texts(fields.begin(), fields.end());
  verbs::NoAnswer refusal;
  AnsweredVerb answer{released([&] { return verb->ask(texts, refusal); })};
  if (answer.value != nullptr) return answer;
  for (const verbs::FileProblem& problem : refusal.problems)
    if (problem.diagnostic.severity == Severity::error) raise(problem.diagnostic, *problem.source);
  const auto text = texts.find(refusal.diagnostic.field);
  if (text == texts.end()) raise(with_keywords(refusal.diagnostic));
  raise(with_keywords(refusal.diagnostic), Source(fmt::format("<{}>", text->first), text->second));
}

}  // namespace

void add_verbs(nb::module_& m) {
  nb::class_<AnsweredVerb>(m, "_VerbAnswer", "What a verb found.")
      .def_prop_ro("status", [](const AnsweredVerb& answer) { return answer.value->status(); })
      .def("to_text", [](const AnsweredVerb& answer) { return answer.value->to_text(); })
      .def("to_json", [](const AnsweredVerb& answer) { return answer.value->to_json(); });
  m.def("_ask_verb", &ask_verb, "verb"_a, "fields"_a);
  m.def("_run_verb", &run_verb, "arguments"_a, "progress"_a = nb::none(),
        nb::sig("def _run_verb(arguments: list[str], progress: typing.Any = None) -> tuple[int, str]"));
  m.def(
      "_run_program",
      [](std::vector<std::string> arguments) {
        return released([&] { return cli::run_program(std::move(arguments)); });
      },
      "arguments"_a, nb::sig("def _run_program(arguments: list[str]) -> int"));
}

}  // namespace tessera::python
