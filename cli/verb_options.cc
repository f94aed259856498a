// SPDX-License-Identifier: Apache-2.0
#include "cli/verb_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "cli/answer_lines.h"
#include "cli/help.h"
#include "cli/picture_file.h"
#include "cli/verbs.h"
#include "verbs/request.h"

namespace tessera::cli {
namespace {

using verbs::FieldTexts;
using verbs::option_of;

// The values of the fields of a verb, as CLI11 reads them.
struct FieldValues {
  struct Value {
    bool on = false;
    std::string text;
    std::vector<std::string> list;
    CLI::Option* option = nullptr;
  };
  std::vector<Value> each;

  explicit FieldValues(std::size_t fields) : each(fields) {}

  // The fields that are given.
  FieldTexts texts(const verbs::Verb& verb) const {
    FieldTexts out;
    for (std::size_t i = 0; i < each.size(); ++i) {
      const verbs::Field& field = verb.fields[i];
      if (each[i].option->count() == 0 || (field.is_flag() && !each[i].on)) continue;
      std::vector<std::string>& texts = out[std::string(field.name)];
      if (field.repeated) {
        texts = each[i].list;
      } else if (!field.is_flag()) {
        texts = {each[i].text};
      }
    }
    return out;
  }
};

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// The words of `[swizzle|pad]`.
std::vector<std::string> choices_of(std::string_view value) {
  std::vector<std::string> out(1);
  for (const char c : value) {
    if (c == '|') {
      out.emplace_back();
    } else if (c != '[' && c != ']') {
      out.back() += c;
    }
  }
  return out;
}

void add_field(CLI::App& app, const verbs::Field& field, FieldValues::Value& value) {
  const std::string help(field.help);
  if (field.is_flag()) {
    value.option = app.add_flag(option_of(field.name), value.on, help);
    return;
  }
  const std::string name = field.argument ? upper(field.name) : option_of(field.name);
  value.option =
      field.repeated ? app.add_option(name, value.list, help) : app.add_option(name, value.text, help);
  if (!field.value.empty()) value.option->type_name(std::string(field.value));
  if (field.must_be_given()) value.option->required();
  if (!field.argument && field.repeated) value.option->allow_extra_args(false);
  if (!field.bare.empty())
    value.option->expected(0, 1)
        ->default_str(std::string(field.bare))
        ->check(one_of(choices_of(field.value)));
}

// Problems of files go to the session.
class SessionObserver : public verbs::Observer {
 public:
  explicit SessionObserver(Session& session) : session_(session) {}
  void found(const Diagnostic& problem, const std::shared_ptr<const Source>& source) override {
    session_.report(problem, source);
  }
  void advanced(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (session_.progress) session_.progress(stage, done, total);
  }

 private:
  Session& session_;
};

// Where a value came from: the command line, or a line of stdin.
struct Place {
  std::string_view field = {};
  std::size_t item = 0;
  std::size_t line = 0;  // 0: no line
};

// Asks one question after another about the same options.
class Asking {
 public:
  Asking(Session& session, const verbs::Verb& verb, FieldTexts texts)
      : session_(session), verb_(verb), texts_(std::move(texts)) {}

  int run() {
    const std::vector<Place> dashes = dashes_of();
    if (const char* const wrong = problem_of(dashes)) {
      session_.report_argument({.code = Code::bad_option, .message = wrong}, "-");
      return kBadInput;
    }
    if (session_.options.json)
      for (const verbs::Field& field : verb_.fields)
        if (field.text_only && texts_.contains(field.name)) {
          session_.report_argument(
              {.code = Code::bad_option,
               .message = fmt::format("{} has no effect with --json", option_of(field.name)),
               .help = "leave one of the two out"},
              option_of(field.name));
          return kBadInput;
        }
    if (!dashes.empty()) {
      if (const std::string wrong = problem_of_lines(); !wrong.empty()) {
        session_.report_argument({.code = Code::bad_option, .message = wrong}, "-");
        return kBadInput;
      }
      // Wrong options are found before a line is read, or a file replaced.
      Diagnostic refusal;
      if (!verb_.check(texts_, dashes.front().field, refusal)) {
        report(refusal, {}, false);
        return status_of(refusal);
      }
    }
    int status = kDone;
    const auto extensions = verbs::words_of(verb_.extensions);
    session_.options.extensions.assign(extensions.begin(), extensions.end());
    const auto destination = Destination::open(session_, /*html_allowed=*/false, status);
    if (destination == nullptr) return status;
    destination_ = destination.get();
    if (dashes.empty()) {
      status = answer({});
    } else {
      Place place = dashes.front();
      std::string& text = texts_.find(place.field)->second[place.item];
      status = answer_lines(session_, destination_->output(), "-", [&](const InputLine& line) {
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
    status = destination_->finish(status);
    return beside_ && status == kDone ? write_beside() : status;
  }

 private:
  std::vector<Place> dashes_of() const {
    std::vector<Place> out;
    for (const verbs::Field& field : verb_.fields)
      if (const auto given = texts_.find(field.name); given != texts_.end() && !field.takes_dash)
        for (std::size_t i = 0; i < given->second.size(); ++i)
          if (given->second[i] == "-") out.push_back({field.name, i});
    return out;
  }

  // Why there cannot be an answer for each line of stdin; empty if there can.
  std::string problem_of_lines() const {
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

  const char* problem_of(const std::vector<Place>& dashes) const {
    if (dashes.size() > 1) return "only one argument can be '-' (stdin)";
    return !dashes.empty() && session_.is_request() ? kNoStdin : nullptr;
  }

  // The text of a field's value with its name, for diagnostics.
  std::shared_ptr<const Source> source_of(const Diagnostic& error, const Place& place) const {
    const bool is_line = place.line > 0 && place.field == error.field && place.item == error.item;
    if (const auto value = verbs::value_of(verb_, texts_, error); value && !is_line) {
      const std::string option = option_of(value->field->name);
      return value->argument > 0
                 ? std::make_shared<const Source>(fmt::format("<argument {}>", value->argument), value->text)
                 : std::make_shared<const Source>(fmt::format("<{}>", option),
                                                  value->field->is_flag() ? option : value->text);
    }
    if (place.line == 0) return nullptr;
    return std::make_shared<const Source>("<stdin>", texts_.find(place.field)->second[place.item],
                                          place.line);
  }

  void report(Diagnostic error, const Place& place, bool answered) {
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

  // A question without an answer. Each line of stdin gets a line nevertheless.
  int refuse(const Diagnostic& error, const Place& place) {
    const bool json = destination_->format() == Format::json;
    const int status = status_of(error);
    if (place.line > 0) {
      const std::shared_ptr<const Source> source = source_of(error, place);
      destination_->output().write(
          (json ? session_.problem_json(status, error, *source) : verbs::problem_line(error)) + "\n");
    }
    report(error, place, json && place.line > 0);
    return status;
  }

  // The answer as a line, as JSON, as a picture, or as text.
  Result<std::string> rendered(const verbs::VerbAnswer& answer, const Place& place) const {
    const std::string& path = session_.options.output;
    const std::optional<verbs::PictureFormat> picture = picture_format(path);
    if (picture && place.line == 0 && (*picture != verbs::PictureFormat::json || answer.has_picture()))
      return answer.to_picture(*picture);
    if (destination_->format() == Format::json) return answer.to_json();
    if (place.line > 0) return answer.to_line();
    const verbs::Terminal terminal{
        .text = terminal_options(session_, {}, !path.empty()), .fits = path.empty(), .path = path};
    return session_.options.quiet ? answer.to_text(terminal) : full_text(answer, terminal);
  }

  int answer(const Place& place) {
    SessionObserver observer(session_);
    Diagnostic refusal;
    const std::unique_ptr<verbs::VerbAnswer> answer = verb_.ask(texts_, observer, refusal);
    if (answer == nullptr) return refuse(refusal, place);
    Result<std::string> text = rendered(*answer, place);
    if (!text) return refuse(text.error(), place);
    const std::string& path = session_.options.output;
    if (!path.ends_with(".png") && !text->ends_with('\n')) *text += '\n';  // pictures end with one
    destination_->output().write(*text);
    if (place.line == 0)
      for (const std::string& hint : answer->hints()) session_.note(hint);
    const bool json = destination_->format() == Format::json;
    for (const Diagnostic& part : answer->refused_parts()) report(part, place, json);
    if (!path.empty() && !json) beside_ = answer->beside(path);
    return answer->status();
  }

  int write_beside() {
    auto file = OutputFile::create(beside_->path, session_.options.force);
    if (file) {
      (*file)->output().write(beside_->text);
      if (const Result<void> done = (*file)->commit(); !done) file = fail(done.error());
    }
    if (file) return kDone;
    session_.report_option(file.error(), kOutputOption);
    return status_of(file.error());
  }

  Session& session_;
  const verbs::Verb& verb_;
  FieldTexts texts_;
  Destination* destination_ = nullptr;
  std::optional<verbs::FileBeside> beside_;
};

}  // namespace

void add_fields(CLI::App& app, Session& session, const verbs::Verb& verb) {
  const auto values = std::make_shared<FieldValues>(verb.fields.size());
  for (std::size_t i = 0; i < verb.fields.size(); ++i) add_field(app, verb.fields[i], values->each[i]);
  add_common_options(app, session);
  app.callback([&app, &session, &verb, values] {
    if (!app.get_subcommands().empty()) return;
    session.action = [&session, &verb, values] { return Asking(session, verb, values->texts(verb)).run(); };
  });
}

void add_verb(CLI::App& app, Session& session, const verbs::Verb& verb) {
  const std::string name(verb.name.substr(verb.name.find(' ') + 1));  // the last word
  CLI::App* const added = app.add_subcommand(name, std::string(verb.help));
  add_fields(*added, session, verb);
  added->footer(std::string(verb.footer));
}

void add_group(CLI::App& app, Session& session, std::string_view name, std::string_view help) {
  CLI::App* const group = app.add_subcommand(std::string(name), std::string(help));
  group->require_subcommand(0, 1);
  for (const verbs::Verb& verb : verbs::all_verbs())
    if (verb.name.starts_with(fmt::format("{} ", name))) add_verb(*group, session, verb);
  add_common_options(*group, session);
}

}  // namespace tessera::cli
