// SPDX-License-Identifier: Apache-2.0
// Asks the verbs.
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "python/src/errors.h"
#include "python/src/python.h"
#include "report/json.h"
#include "verbs/answer_schema.h"
#include "verbs/in_memory.h"
#include "verbs/verb.h"

namespace tessera::python {
namespace {

// A verb's answer, which makes its text and its JSON when they are asked for.
struct AnsweredVerb {
  std::unique_ptr<verbs::VerbAnswer> value;
};

// The first error of a file that the question names is the one to raise. Ctrl-C, or an exception of the
// function that takes the progress, ends the work; destructors then remove unfinished files.
class PythonObserver : public verbs::Observer {
 public:
  explicit PythonObserver(nb::object progress)
      : progress_(std::move(progress)), reported_(!progress_.is_none()) {}

  void found(const Diagnostic& problem, const std::shared_ptr<const Source>& source) override {
    if (problem.severity == Severity::error && source_ == nullptr) {
      problem_ = problem;
      source_ = source;
    }
  }
  void advanced(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (!reported_) return;
    const nb::gil_scoped_acquire acquire;
    if (stopped_) return;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      progress_(stage, done, total);
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      stopped_ = true;
    }
  }
  // Signals are looked for a few times a second.
  bool cancelled() override {
    const auto now = std::chrono::steady_clock::now();
    if (stopped_ || now < next_) return stopped_;
    next_ = now + std::chrono::milliseconds(50);
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) return false;
    raised_.emplace();
    stopped_ = true;
    return true;
  }

  // Raises what ended the work, or an error of a file.
  void raise_found() {
    if (stopped_) throw std::move(*raised_);
    if (source_ != nullptr) raise(problem_, *source_);
  }
  bool has_raised() const { return stopped_; }

 private:
  nb::object progress_;
  bool reported_;
  std::atomic<bool> stopped_ = false;
  std::optional<nb::python_error> raised_;
  std::chrono::steady_clock::time_point next_ = {};
  Diagnostic problem_;
  std::shared_ptr<const Source> source_;
};

AnsweredVerb ask_verb(const std::string& name, const verbs::FieldTexts& fields, nb::object progress) {
  const verbs::Verb* const verb = verbs::find_verb(name);
  if (verb == nullptr)
    raise(Code::unknown_name, fmt::format("there is no verb '{}'", name), verbs::verb_names());
  PythonObserver observer(std::move(progress));
  auto asked = released([&] {
    return verbs::in_memory([&]() -> Result<std::unique_ptr<verbs::VerbAnswer>> {
      Diagnostic refusal;
      auto answer = verb->ask(fields, observer, refusal);
      if (answer == nullptr) return fail(std::move(refusal));
      return answer;
    });
  });
  if (asked && !observer.has_raised()) return {*std::move(asked)};
  observer.raise_found();
  Diagnostic& refusal = asked.error();
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
  m.def("_ask_verb", &ask_verb, "verb"_a, "fields"_a, "progress"_a = nb::none(),
        nb::sig("def _ask_verb(verb: str, fields: collections.abc.Mapping[str, list[str]], progress: "
                "typing.Any = None) "
                "-> _VerbAnswer"));
  m.def("_verb_names", &verbs::verb_names);
  m.def(
      "_verb_schema",
      [](const std::string& name, bool answer) {
        const verbs::Verb* const verb = verbs::find_verb(name);
        if (verb == nullptr)
          raise(Code::unknown_name, fmt::format("there is no verb '{}'", name), verbs::verb_names());
        return answer ? detail::dump(verbs::answer_schema(name)) : verb->schema();
      },
      "verb"_a, "answer"_a = false, "The JSON Schema of a verb's request, or of its answer.");
}

}  // namespace tessera::python
