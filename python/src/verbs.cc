// SPDX-License-Identifier: Apache-2.0
// Runs the verbs of the command line in this process.
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

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

// The first error of a file that the question names is the one to raise.
class PythonObserver : public verbs::Observer {
 public:
  void found(const Diagnostic& problem, const std::shared_ptr<const Source>& source) override {
    if (problem.severity == Severity::error && source_ == nullptr) {
      problem_ = problem;
      source_ = source;
    }
  }
  void raise_found() const {
    if (source_ != nullptr) raise(problem_, *source_);
  }

 private:
  Diagnostic problem_;
  std::shared_ptr<const Source> source_;
};

AnsweredVerb ask_verb(const std::string& name, const verbs::FieldTexts& fields) {
  const verbs::Verb* const verb = verbs::find_verb(name);
  PythonObserver observer;
  Diagnostic refusal;
  AnsweredVerb answer{released([&] { return verb->ask(fields, observer, refusal); })};
  if (answer.value != nullptr) return answer;
  observer.raise_found();
  const auto value = verbs::value_of(*verb, fields, refusal);
  if (!value) raise(with_keywords(refusal));
  const std::string text = value->field->is_flag() ? "True" : value->text;
  refusal.span = verbs::span_in(refusal, text);
  raise(with_keywords(refusal), Source(fmt::format("<{}>", value->field->name), text));
}

}  // namespace

void add_verbs(nb::module_& m) {
  nb::class_<AnsweredVerb>(m, "_VerbAnswer", "What a verb found.")
      .def_prop_ro("status", [](const AnsweredVerb& answer) { return answer.value->status(); })
      .def("to_text", [](const AnsweredVerb& answer) { return unwrap(full_text(*answer.value)); })
      .def("to_json", [](const AnsweredVerb& answer) { return unwrap(answer.value->to_json()); });
  m.def("_ask_verb", &ask_verb, "verb"_a, "fields"_a);
  m.def("_verb_names", &verbs::verb_names);
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
