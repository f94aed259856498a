// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/plural.h"
#include "report/diagnostic_json.h"

namespace tessera::cli {
namespace {

// An argument quoted for a shell.
std::string quoted(const std::string& argument) {
  constexpr std::string_view kPlain = "-_=./,:+@%";
  const bool plain = !argument.empty() && std::ranges::all_of(argument, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return argument;
  std::string out = "'";
  for (const char c : argument) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c == '\n' ? ' ' : c;  // keeps the caret on the same line
    }
  }
  return out + "'";
}

// `reshard SRC DST` means `reshard files SRC DST`, even after options such as --json.
std::vector<std::string> with_verb(std::vector<std::string> arguments) {
  const auto verb =
      std::ranges::find_if(arguments, [](const std::string& one) { return !one.starts_with('-'); });
  if (arguments.end() - verb < 2 || *verb != "reshard" || verb[1].starts_with('-')) return arguments;
  struct stat status = {};
  if (verb[1].find_first_of("./{") != std::string::npos || ::stat(verb[1].c_str(), &status) == 0)
    arguments.insert(verb + 1, "files");
  return arguments;
}

}  // namespace

Session::Session(std::vector<std::string> arguments, Output& out, Output& err, bool request)
    : arguments_(with_verb(std::move(arguments))), out_(out), err_(err), request_(request) {}

void Session::report(Diagnostic diagnostic, std::shared_ptr<const Source> source) {
  report_answered(diagnostic, source);
  diagnostics_.push_back({std::move(diagnostic), std::move(source)});
}

void Session::report_answered(const Diagnostic& diagnostic, const std::shared_ptr<const Source>& source) {
  if (request_ || (options.quiet && diagnostic.severity != Severity::error)) return;
  err_.write(render(diagnostic, *source, error_color()));
}

void Session::answered() {
  if (!request_ && !diagnostics_.empty()) diagnostics_.pop_back();
}

void Session::note(std::string_view text) {
  if (!request_ && !options.quiet) err_.write(fmt::format("note: {}\n", text));
}

bool Session::wants_json() const {
  const auto end = std::ranges::find(arguments_, "--");
  return options.json || std::find(arguments_.begin(), end, "--json") != end ||
         (!verbs_.empty() && verbs_[0] == "batch");
}

std::string Session::problem_json(int status, const Diagnostic& diagnostic, const Source& source) const {
  const std::string_view verb = !verbs_.empty() ? std::string_view(verbs_[0]) : request_ ? "batch" : "error";
  const bool has_actions = verb == "map" || verb == "reshard";
  const std::string_view question = has_actions && verbs_.size() > 1 ? std::string_view(verbs_[1]) : "";
  return tessera::problem_json(verb, question, status, diagnostic, source);
}

std::optional<Session::ArgumentPlace> Session::place_of(std::string_view argument, std::size_t which) const {
  for (const std::size_t place : positionals_) {
    if (arguments_[place] == argument && which-- == 0) return ArgumentPlace{place};
  }
  const bool option = argument.starts_with("-") && argument != "-";
  const auto found = std::ranges::find_if(arguments_, [&](const std::string& one) {
    return one == argument || (option && one.starts_with(argument));
  });
  if (found == arguments_.end()) return std::nullopt;
  return ArgumentPlace{static_cast<std::size_t>(found - arguments_.begin())};
}

std::vector<Session::ArgumentPlace> Session::places_of_value(std::string_view option) const {
  std::vector<ArgumentPlace> found;
  for (std::size_t begin = 0; begin <= option.size();) {
    const std::size_t end = std::min(option.find(',', begin), option.size());
    const std::string_view name = option.substr(begin, end - begin);
    const std::size_t value = name.size() + (name.starts_with("--") ? 1 : 0);  // `--memory=1M`, `-ofile`
    for (std::size_t i = 0; i < arguments_.size() && arguments_[i] != "--"; ++i) {
      const std::string_view one = arguments_[i];
      if (one == name && i + 1 < arguments_.size()) {
        found.push_back({++i});
      } else if (one.size() >= value && one.starts_with(name) && one != name &&
                 (value == name.size() || one[name.size()] == '=')) {
        found.push_back({i, value});
      }
    }
    begin = end + 1;
  }
  return found;
}

void Session::report_argument(Diagnostic diagnostic, std::string_view argument, std::size_t which) {
  report_at(std::move(diagnostic), place_of(argument, which));
}

void Session::report_option(Diagnostic diagnostic, std::string_view option, std::size_t item) {
  const std::vector<ArgumentPlace> places = places_of_value(option);
  std::optional<ArgumentPlace> place;
  if (!places.empty()) place = places.back();
  if (place && item > 0) place = ArgumentPlace{place->argument + item};
  report_at(std::move(diagnostic), place);
}

void Session::report_repeated(Diagnostic diagnostic, std::string_view option, std::size_t which) {
  const std::vector<ArgumentPlace> places = places_of_value(option);
  report_at(std::move(diagnostic), which < places.size() ? std::optional(places[which]) : std::nullopt);
}

void Session::report_positional(Diagnostic diagnostic, std::size_t number) {
  if (number >= positionals_.size()) return report_at(std::move(diagnostic), std::nullopt);
  report_at(std::move(diagnostic), ArgumentPlace{positionals_[number]});
}

void Session::report_at(Diagnostic diagnostic, std::optional<ArgumentPlace> found) {
  std::string line = "tessera";
  for (std::size_t place = 0; place < arguments_.size(); ++place) {
    line += ' ';
    const std::string& one = arguments_[place];
    const std::string text = quoted(one);
    if (found && place == found->argument) {
      // Mark the text between the quotes.
      const std::size_t quote = found->skip > 0 && text != one ? 1 : 0;
      diagnostic.span = {static_cast<std::uint32_t>(line.size() + found->skip + quote),
                         static_cast<std::uint32_t>(line.size() + text.size() - quote)};
    }
    line += text;
  }
  if (!found) {
    const auto end = static_cast<std::uint32_t>(line.size() + 1);
    diagnostic.span = {end, end};
  }
  report(std::move(diagnostic), std::make_shared<const Source>("<command line>", std::move(line)));
}

Color Session::color_on(int descriptor) const {
  if (options.color == "always") return Color::always;
  if (options.color == "never" || request_) return Color::never;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return Color::never;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return Color::never;
  return ::isatty(descriptor) != 0 ? Color::always : Color::never;
}

Color Session::output_color() const { return options.output.empty() ? color_on(1) : Color::never; }

Destination::Opened Destination::open(Session& session) {
  std::unique_ptr<Destination> destination(new Destination(session));
  const CommonOptions& options = session.options;
  if (options.json) destination->format_ = Format::json;
  const std::string& path = options.output;
  if (path.empty()) return {std::move(destination)};
  const std::string extension = std::filesystem::path(path).extension();
  if (extension == ".json" || extension == ".jsonl") {
    destination->format_ = Format::json;
  } else if (!extension.empty() &&
             std::ranges::find(options.extensions, extension) == options.extensions.end()) {
    Diagnostic diagnostic{.code = Code::bad_option,
                          .message = fmt::format("this verb has no '{}' output", extension)};
    std::vector<std::string> known = options.extensions;
    known.emplace_back(".json");
    diagnostic.help = "use " + detail::alternatives(known);
    session.report_option(std::move(diagnostic), options.output_option);
    return {nullptr, kBadInput};
  }
  Result<std::unique_ptr<OutputFile>> file = OutputFile::create(path, options.force);
  if (!file) {
    session.report_option(file.error(), options.output_option);
    return {nullptr, status_of(file.error())};
  }
  destination->file_ = std::move(*file);
  return {std::move(destination)};
}

int Destination::finish(int status) {
  if (file_ == nullptr) return status;
  if (status != kDone && file_->output().size() == 0) return status;
  if (const Result<void> done = file_->commit(); !done) {
    session_.report_option(done.error(), session_.options.output_option);
    return std::max<int>(status, status_of(done.error()));
  }
  return status;
}

}  // namespace tessera::cli
