// SPDX-License-Identifier: Apache-2.0
/// \file
/// One run of the program or one request of `batch`: streams, common options, diagnostics and the answer's
/// destination.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output.h"
#include "cli/output_file.h"
#include "report/exit_status.h"
#include "tessera/base/result.h"
#include "verbs/request_line.h"

namespace tessera::cli {

using tessera::status_of;

/// The message that refuses `-` in a request of `batch`.
using verbs::kNoStdin;

/// The option that names the output file.
inline constexpr std::string_view kOutputOption = "-o,--output";

enum class Format : std::uint8_t { text, json };

/// Options of every verb.
struct CommonOptions {
  bool json = false;
  std::string output;                              ///< -o; empty: stdout
  std::string_view output_option = kOutputOption;  ///< the option that named it
  std::vector<std::string> extensions = {".txt"};  ///< extensions of text files
  bool force = false;
  std::string color = "auto";
  bool quiet = false;
};

/// A diagnostic and the text that it points into.
struct ShownDiagnostic {
  Diagnostic diagnostic;
  std::shared_ptr<const Source> source;
};

class Session {
 public:
  /// `arguments` does not include the program's name. If `request`, diagnostics are collected instead of
  /// written, as for a request of `batch`.
  Session(std::vector<std::string> arguments, Output& out, Output& err, bool request);

  const std::vector<std::string>& arguments() const { return arguments_; }
  Output& out() { return out_; }
  Output& err() { return err_; }
  bool is_request() const { return request_; }

  /// Shows a diagnostic on stderr (with --quiet only errors) and keeps it for the JSON answer.
  void report(Diagnostic diagnostic, std::shared_ptr<const Source> source);
  /// Shows a diagnostic that the JSON answer already contains.
  void report_answered(const Diagnostic& diagnostic, const std::shared_ptr<const Source>& source);
  /// Records that the JSON answer contains the last reported problem.
  void answered();
  /// Points at the argument of the command line that has this text or, for an option, starts with it: at
  /// number `which` of several. The values of options match only if no other argument has this text.
  void report_argument(Diagnostic diagnostic, std::string_view argument, std::size_t which = 0);
  /// Points at the last value of an option, `--memory` or `-o,--output`, or at a later one of its values.
  void report_option(Diagnostic diagnostic, std::string_view option, std::size_t item = 0);
  /// Points at the value of an option that is given several times, from 0.
  void report_repeated(Diagnostic diagnostic, std::string_view option, std::size_t which);
  /// Points at the argument with this number among those that are neither verbs nor options nor their values.
  void report_positional(Diagnostic diagnostic, std::size_t number);
  /// `note: TEXT` on stderr, unless --quiet.
  void note(std::string_view text);
  /// Positions of the arguments that are neither verbs nor options nor option values.
  void set_positionals(std::vector<std::size_t> places) { positionals_ = std::move(places); }
  /// The diagnostics that no answer contains.
  const std::vector<ShownDiagnostic>& diagnostics() const { return diagnostics_; }

  /// The chosen verbs, outermost first: `map`, `simplify`. Empty while unknown.
  void set_verbs(std::vector<std::string> verbs) { verbs_ = std::move(verbs); }
  /// True if --json was given, even if the rest of the command line is wrong, or if the verb is `batch`.
  bool wants_json() const;
  /// JSON for a failed request, with the schema of the chosen verb.
  std::string problem_json(int status, const Diagnostic& diagnostic, const Source& source) const;

  /// Whether stderr (stdout) gets escape sequences.
  Color error_color() const { return color_on(2); }
  Color output_color() const;

  CommonOptions options;
  /// Runs the verb. Parsing the arguments sets it.
  std::function<int()> action;

 private:
  Color color_on(int descriptor) const;
  // An argument, and the length of a prefix to skip: `--memory=`.
  struct ArgumentPlace {
    std::size_t argument = 0;
    std::size_t skip = 0;
  };
  std::optional<ArgumentPlace> place_of(std::string_view argument, std::size_t which) const;
  std::vector<ArgumentPlace> places_of_value(std::string_view option) const;
  void report_at(Diagnostic diagnostic, std::optional<ArgumentPlace> place);

  std::vector<std::string> arguments_;
  std::vector<std::size_t> positionals_;
  std::vector<std::string> verbs_;
  Output& out_;
  Output& err_;
  bool request_;
  std::vector<ShownDiagnostic> diagnostics_;
};

/// The answer's destination: stdout, or the file of -o in the format of its extension.
class Destination {
 public:
  struct Opened;
  /// If the file cannot be written, the error is reported.
  static Opened open(Session& session);

  Output& output() { return file_ ? file_->output() : session_.out(); }
  Format format() const { return format_; }

  /// Ends the answer and gives the file its name, unless an error left it empty. Returns the exit status.
  int finish(int status);

 private:
  explicit Destination(Session& session) : session_(session) {}

  Session& session_;
  Format format_ = Format::text;
  std::unique_ptr<OutputFile> file_;
};

/// Null if the file cannot be written; then `status` is the exit status.
struct Destination::Opened {
  std::unique_ptr<Destination> destination;
  int status = kDone;
};

}  // namespace tessera::cli
