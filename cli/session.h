// SPDX-License-Identifier: Apache-2.0
/// \file
/// One run of the program, or one request of `batch`: streams, common options, diagnostics, the answer's
/// destination.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output.h"
#include "cli/output_file.h"
#include "tessera/base/diagnostic.h"
#include "tessera/base/source.h"

namespace tessera::cli {

/// Exit statuses; of several the worst is the greatest.
enum Status : int { kDone = 0, kNo = 1, kBadInput = 2, kFailed = 3 };

/// The status that a failure with this code ends with.
Status status_of(Code code);

/// What `batch` says of `-`.
inline constexpr const char* kNoStdin =
    "a request has no stdin of its own, '-' cannot be read: send a request for each line";

/// The option that names the answer's file.
inline constexpr std::string_view kOutputOption = "-o,--output";

enum class Format : std::uint8_t { text, json, html };

/// Options that every verb has.
struct CommonOptions {
  bool json = false;
  std::string output;                              ///< -o; empty: stdout
  std::string_view output_option = kOutputOption;  ///< the option that named it
  bool force = false;
  std::string color = "auto";
  bool quiet = false;
};

/// A diagnostic with the text it points into.
struct ShownDiagnostic {
  Diagnostic diagnostic;
  std::shared_ptr<const Source> source;
};

class Session {
 public:
  /// `arguments` without the program's name. A request of `batch` writes no diagnostics but keeps them.
  Session(std::vector<std::string> arguments, Output& out, Output& err, bool request);

  const std::vector<std::string>& arguments() const { return arguments_; }
  Output& out() { return out_; }
  Output& err() { return err_; }
  bool is_request() const { return request_; }

  /// Shows a diagnostic on stderr, unless --quiet, and keeps it for `batch`.
  void report(Diagnostic diagnostic, std::shared_ptr<const Source> source);
  /// A diagnostic about an argument of the command line: the caret stands under argument number `which` of
  /// those with this text (or, for an option, the argument that starts with it). Values of options are taken
  /// only where no other argument has the text.
  void report_argument(Diagnostic diagnostic, std::string_view argument, std::size_t which = 0);
  /// The same about the value of an option, `--memory` or `-o,--output`: the caret stands under the last one
  /// that was given.
  void report_option(Diagnostic diagnostic, std::string_view option);
  /// The places of the arguments that are neither verbs nor options nor their values; known once all are
  /// read.
  void set_positionals(std::vector<std::size_t> places) { positionals_ = std::move(places); }
  const std::vector<ShownDiagnostic>& diagnostics() const { return diagnostics_; }

  /// Escape sequences are wanted on stderr, on stdout.
  Color error_color() const { return color_on(2); }
  Color output_color() const;

  CommonOptions options;
  /// What the verb does; set while reading the arguments.
  std::function<int()> action;

 private:
  Color color_on(int descriptor) const;
  // An argument, and how many of its first bytes are not meant: `--memory=`.
  struct Place {
    std::size_t argument = 0;
    std::size_t skip = 0;
  };
  std::optional<Place> place_of(std::string_view argument, std::size_t which) const;
  std::optional<Place> place_of_value(std::string_view option) const;
  void report_at(Diagnostic diagnostic, std::optional<Place> place);

  std::vector<std::string> arguments_;
  std::vector<std::size_t> positionals_;
  Output& out_;
  Output& err_;
  bool request_;
  std::vector<ShownDiagnostic> diagnostics_;
};

/// Where the answer goes: stdout, or the file of -o, in the format of its extension.
class Destination {
 public:
  /// Nothing when the file may not be written; that was reported, and `status` says what to exit with.
  static std::unique_ptr<Destination> open(Session& session, bool html_allowed, int& status);

  Output& output() { return file_ ? file_->output() : session_.out(); }
  Format format() const { return format_; }

  /// Ends the answer: the file gets its name, unless the verb failed before it wrote anything. Returns the
  /// status to exit with.
  int finish(int status);

 private:
  explicit Destination(Session& session) : session_(session) {}

  Session& session_;
  Format format_ = Format::text;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace tessera::cli
