// SPDX-License-Identifier: Apache-2.0
#include "cli/asking.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "cli/answer_lines.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "verbs/in_memory.h"
#include "verbs/observer.h"
#include "verbs/request.h"

namespace tessera::cli {

using verbs::option_of;

// Problems of files and remarks go to the session, parts of the answer to its destination.
class Asking::SessionObserver : public verbs::Observer {
 public:
  explicit SessionObserver(Asking& asking) : asking_(asking), session_(asking.session_) {}

  void found(const Diagnostic& problem, const std::shared_ptr<const Source>& source) override {
    session_.report(problem, source);
  }
  std::shared_ptr<const Source> source_of(std::string_view field, const std::string& text) override {
    Diagnostic about;
    about.field = field;
    if (const auto given = asking_.texts_.find(field); given != asking_.texts_.end())
      about.item = static_cast<std::uint32_t>(std::ranges::find(given->second, text) - given->second.begin());
    auto source = asking_.source_of(about, asking_.place_);
    return source != nullptr ? source : Observer::source_of(field, text);
  }
  void noted(const std::string& hint) override {
    session_.note(hint);
    session_.err().flush();
  }
  bool took(const verbs::VerbAnswer& part) override { return asking_.show_part(part); }
  void advanced(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (stage_ != stage || done == 1) begin(stage, total);
    bar_->advance_to(done);
  }
  bool reads_json() const override { return asking_.destination_->format() == Format::json; }
  // Nobody reads the output any more (`| head`).
  bool cancelled() override { return asking_.destination_->output().error() != 0; }

 private:
  void begin(std::string_view stage, std::uint64_t total) {
    // If the output scrolls on the terminal, it already shows the progress.
    const bool scrolls = stage == "instructions" && session_.options.output.empty() && ::isatty(1) != 0 &&
                         !asking_.texts_.contains("stats");
    bar_.emplace(session_.err(), total, !session_.options.quiet && !scrolls,
                 stage == "instructions" ? ProgressUnit::instructions
                 : stage == "verify"     ? ProgressUnit::elements
                                         : ProgressUnit::bytes);
    stage_ = stage;
  }

  Asking& asking_;
  Session& session_;
  std::optional<ProgressBar> bar_;
  std::string stage_;
};

Asking::Asking(Session& session, const verbs::Verb& verb, verbs::FieldTexts texts)
    : session_(session),
      verb_(verb),
      texts_(std::move(texts)),
      observer_(std::make_unique<SessionObserver>(*this)) {}

Asking::~Asking() = default;

int Asking::run() {
  for (const verbs::Field& field : verb_.fields) {
    if (!field.lines_unless.empty() && !texts_.contains(field.name) && !texts_.contains(field.lines_unless))
      texts_[std::string(field.name)] = {"-"};
  }
  const std::vector<ValuePlace> dashes = dashes_of();
  if (!check_options(dashes)) return kBadInput;
  if (!dashes.empty() || !session_.options.output.empty()) {
    // Wrong options are found before a line is read, or a file replaced.
    Diagnostic refusal;
    verbs::FieldTexts one = texts_;
    if (const verbs::Field* const each = each_field()) one.find(each->name)->second.resize(1);
    if (!verb_.check(one, dashes.empty() ? "" : dashes.front().field, refusal)) {
      report(refusal, {}, false);
      return status_of(refusal);
    }
  }
  const auto extensions = verbs::words_of(verb_.extensions);
  session_.options.extensions.assign(extensions.begin(), extensions.end());
  const auto [destination, failed] = Destination::open(session_);
  if (destination == nullptr) return failed;
  int status = kDone;
  destination_ = destination.get();
  if (const verbs::Field* const each = each_field()) {
    status = answer_each(*each);
  } else {
    status = dashes.empty() ? answer({}) : answer_lines_of(dashes.front());
  }
  status = destination_->finish(status);
  return beside_ && status == kDone ? write_beside() : status;
}

// Whether the options go together with the lines of stdin, and with JSON.
bool Asking::check_options(const std::vector<ValuePlace>& dashes) {
  const auto refuse = [&](std::string message, std::string_view argument, const char* help = "") {
    session_.report_argument({.code = Code::bad_option, .message = std::move(message), .help = help},
                             argument);
    return false;
  };
  if (const char* const wrong = problem_of(dashes)) return refuse(wrong, "-");
  if (session_.options.json)
    for (const verbs::Field& field : verb_.fields)
      if (field.text_only && texts_.contains(field.name))
        return refuse(fmt::format("{} has no effect with --json", option_of(field.name)),
                      option_of(field.name), "leave one of the two out");
  const std::optional<verbs::PictureFormat> picture = picture_format(session_.options.output);
  if (const verbs::Field* const each = each_field(); each != nullptr && picture &&
                                                     *picture != verbs::PictureFormat::json &&
                                                     texts_.find(each->name)->second.size() > 1)
    return refuse(fmt::format("{} holds one answer, and {} are asked for", session_.options.output,
                              texts_.find(each->name)->second.size()),
                  session_.options.output, "run the command once for each");
  if (dashes.empty()) return true;
  const std::string wrong = problem_of_lines();
  return wrong.empty() || refuse(wrong, "-");
}

// The field whose values are questions of their own, if there are some.
const verbs::Field* Asking::each_field() const {
  const auto field = std::ranges::find_if(verb_.fields, &verbs::Field::each);
  return field == verb_.fields.end() || !texts_.contains(field->name) ? nullptr : &*field;
}

int Asking::answer_each(const verbs::Field& field) {
  const std::vector<std::string> all = texts_.find(field.name)->second;
  int status = kDone;
  for (std::size_t i = 0; i < all.size(); ++i) {
    texts_.find(field.name)->second = {all[i]};
    ValuePlace place{.field = field.name, .which = i};
    const bool lines = all[i] == "-" && !field.takes_dash;
    status = std::max(status, lines ? answer_lines_of(place) : answer(place));
  }
  const bool nothing = all.size() == 1 && all[0] == "-" && lines_ == 0 && status == kDone;
  if (!nothing || field.lines_unless.empty() || std::ranges::count(session_.arguments(), "-") > 0)
    return status;
  texts_.erase(texts_.find(field.name));
  return answer({});  // nothing is asked
}

// An answer for each line of stdin, which takes the place of a value.
int Asking::answer_lines_of(ValuePlace place) {
  std::string& text = texts_.find(place.field)->second[place.item];
  return answer_lines(session_, destination_->output(), "-", [&](const InputLine& line) {
    ++lines_;
    place.line = line.number;
    text = line.text;
    if (!line.too_long) return answer(place);
    return refuse({.code = Code::limit,
                   .message = "the line is longer than 64 MiB",
                   .field = place.field,
                   .item = static_cast<std::uint32_t>(place.item)},
                  place);
  });
}

std::vector<ValuePlace> Asking::dashes_of() const {
  std::vector<ValuePlace> out;
  for (const verbs::Field& field : verb_.fields)
    if (const auto given = texts_.find(field.name); given != texts_.end() && !field.takes_dash)
      for (std::size_t i = 0; i < given->second.size(); ++i)
        if (given->second[i] == "-") out.push_back({field.name, i});
  return out;
}

// Why there cannot be an answer for each line of stdin; empty if there can.
std::string Asking::problem_of_lines() const {
  const std::string& path = session_.options.output;
  for (const verbs::Field& field : verb_.fields)
    if ((field.single || (field.single_in_file && !path.empty())) && texts_.contains(field.name))
      return fmt::format("{}{} is for one question, not for each line of stdin", option_of(field.name),
                         field.single ? "" : " with -o");
  const std::optional<verbs::PictureFormat> picture = picture_format(path);
  return picture && *picture != verbs::PictureFormat::json
             ? "a picture shows one answer, not one for each line of stdin"
             : "";
}

const char* Asking::problem_of(const std::vector<ValuePlace>& dashes) const {
  if (dashes.size() > 1) return "only one argument can be '-' (stdin)";
  return !dashes.empty() && session_.is_request() ? kNoStdin : nullptr;
}

// The number of the argument, from 1; 0 for an option.
std::size_t Asking::number_of(const verbs::FaultyValue& value, const ValuePlace& place) const {
  return value.argument + (value.argument > 0 && value.field->name == place.field ? place.which : 0);
}

// The text of a field's value with its name, for diagnostics.
std::shared_ptr<const Source> Asking::source_of(const Diagnostic& error, const ValuePlace& place) const {
  const bool is_line = place.line > 0 && place.field == error.field && place.item == error.item;
  if (const auto value = verbs::value_of(verb_, texts_, error); value && !is_line) {
    const std::string option = option_of(value->field->name);
    return value->argument > 0
               ? std::make_shared<const Source>(fmt::format("<argument {}>", number_of(*value, place)),
                                                value->text)
               : std::make_shared<const Source>(fmt::format("<{}>", option),
                                                value->field->is_flag() ? option : value->text);
  }
  if (place.line == 0) return nullptr;
  return std::make_shared<const Source>("<stdin>", texts_.find(place.field)->second[place.item], place.line);
}

// Marks a name within the command line. False if the error is about a part of a value.
bool Asking::report_name(const Diagnostic& error, const ValuePlace& place) {
  const auto value = verbs::value_of(verb_, texts_, error);
  if (!verb_.marks_line || place.line > 0 || !value) return false;
  if (error.span.begin > 0 || (error.span.end > 0 && error.span.end < value->text.size())) return false;
  const std::string option = option_of(value->field->name);
  if (value->argument > 0) {
    session_.report_positional(error, number_of(*value, place) - 1);
  } else if (value->field->is_flag() || value->item == verbs::kItsPresence) {
    session_.report_argument(error, option);
  } else if (value->field->repeated) {
    session_.report_repeated(error, option, value->item);
  } else {
    session_.report_option(error, option, value->item);
  }
  return true;
}

// An option that -o FILE implies is not one that was typed.
void Asking::name_output(Diagnostic& error) const {
  for (const verbs::Field& field : verb_.fields) {
    const std::string implied = "with " + option_of(field.name);
    if (field.file.empty() || session_.options.output_option != kOutputOption ||
        !error.message.ends_with(implied))
      continue;
    error.message.resize(error.message.size() - implied.size());
    error.message += "with -o " + session_.options.output;
  }
}

void Asking::report(Diagnostic error, const ValuePlace& place, bool answered) {
  name_output(error);
  if (error.field == verbs::kInFile || report_name(error, place)) {
    if (answered) session_.answered();
    return;
  }
  const std::shared_ptr<const Source> source = source_of(error, place);
  if (source != nullptr) error.span = verbs::span_in(error, source->text());
  if (source == nullptr) {
    session_.report_argument(error, "");
  } else if (answered) {
    session_.report_answered(error, source);
  } else {
    session_.report(error, source);
  }
}

// A question without an answer. Each line of stdin gets a line nevertheless, and each question of several
// gets JSON.
int Asking::refuse(const Diagnostic& error, const ValuePlace& place) {
  const bool json = destination_->format() == Format::json;
  const int status = status_of(error);
  if (place.line > 0) {
    const std::shared_ptr<const Source> source = source_of(error, place);
    destination_->output().write(
        (json ? session_.problem_json(status, error, *source) : verbs::problem_line(error)) + "\n");
    report(error, place, json);
    return status;
  }
  report(error, place, false);
  if (json && !place.field.empty() && !session_.diagnostics().empty()) {
    const ShownDiagnostic& shown = session_.diagnostics().back();
    destination_->output().write(verbs::refusal_json(verb_, texts_, status, shown.diagnostic, *shown.source) +
                                 "\n");
    session_.answered();
  }
  return status;
}

// The answer as a line, as JSON, as a picture, or as text.
Result<std::string> Asking::rendered(const verbs::VerbAnswer& answer, const ValuePlace& place) const {
  const std::string& path = session_.options.output;
  const std::optional<verbs::PictureFormat> picture = picture_format(path);
  if (picture && place.line == 0 && (*picture != verbs::PictureFormat::json || answer.has_picture()))
    return answer.to_picture(*picture);
  if (destination_->format() == Format::json) return answer.to_json();
  if (place.line > 0) return answer.to_line();
  const verbs::Terminal terminal{.text = terminal_options(session_, {}, !path.empty()),
                                 .fits = path.empty(),
                                 .bold = session_.output_color() == Color::always,
                                 .path = path};
  return session_.options.quiet ? answer.to_text(terminal) : full_text(answer, terminal);
}

void Asking::write(const verbs::VerbAnswer& answer, std::string text) {
  const std::string& path = session_.options.output;
  const bool is_text = destination_->format() == Format::text;
  if (answer.is_report() && session_.options.quiet && path.empty() && is_text) return;
  if (text.empty() && !answer.refused_parts().empty()) return;  // nothing but errors
  if (answer.is_block() && is_text && destination_->output().size() > 0) destination_->output().write("\n");
  if (!path.ends_with(".png") && !text.ends_with('\n')) text += '\n';  // pictures end with one
  destination_->output().write(text);
}

// A part of the answer. The text and the JSON of a part may be empty.
bool Asking::show_part(const verbs::VerbAnswer& part) {
  const Result<std::string> text = rendered(part, place_);
  if (text && !text->empty()) write(part, *text);
  return true;
}

int Asking::answer(const ValuePlace& place) {
  place_ = place;
  const auto asked = verbs::in_memory([&]() -> Result<std::unique_ptr<verbs::VerbAnswer>> {
    Diagnostic refusal;
    auto one = verb_.ask(texts_, *observer_, refusal);
    if (one == nullptr) return fail(std::move(refusal));
    return one;
  });
  if (!asked && destination_->output().error() != 0) return kFailed;  // nobody reads the answer
  if (!asked) return refuse(asked.error(), place);
  const verbs::VerbAnswer& answer = **asked;
  if (!answer.in_parts()) {
    const Result<std::string> text = rendered(answer, place);
    if (!text) return refuse(text.error(), place);
    write(answer, *text);
  }
  const std::vector<std::string> hints = place.line == 0 ? answer.hints() : answer.line_hints();
  // The answer comes before remarks about it.
  if (!hints.empty() || !answer.refused_parts().empty()) destination_->output().flush();
  for (const std::string& hint : hints) session_.note(hint);
  const bool json = destination_->format() == Format::json;
  for (const Diagnostic& part : answer.refused_parts())
    report(part, place, json && answer.json_has_refusals());
  const std::string& path = session_.options.output;
  if (!path.empty() && !json) beside_ = answer.beside(path);
  return answer.status();
}

int Asking::write_beside() {
  auto file = OutputFile::create(beside_->path, session_.options.force);
  if (file) {
    (*file)->output().write(beside_->text);
    if (const Result<void> done = (*file)->commit(); !done) file = fail(done.error());
  }
  if (file) return kDone;
  session_.report_option(file.error(), kOutputOption);
  return status_of(file.error());
}

}  // namespace tessera::cli
