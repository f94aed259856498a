// SPDX-License-Identifier: Apache-2.0
/// \file
/// Asks a verb, and writes its answers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/session.h"
#include "verbs/answer.h"
#include "verbs/verb.h"

namespace tessera::cli {

/// Where a value came from: the command line, or a line of stdin.
struct ValuePlace {
  std::string_view field = {};
  std::size_t item = 0;
  std::size_t line = 0;   ///< 0: no line
  std::size_t which = 0;  ///< of the values that are questions of their own
};

/// Asks one question after another about the same options.
class Asking {
 public:
  Asking(Session& session, const verbs::Verb& verb, verbs::FieldTexts texts);
  ~Asking();
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  /// Returns the exit status.
  int run();

 private:
  class SessionObserver;

  const verbs::Field* each_field() const;
  int answer_each(const verbs::Field& field);
  int answer_lines_of(ValuePlace place);
  std::vector<ValuePlace> dashes_of() const;
  std::string problem_of_lines() const;
  const char* problem_of(const std::vector<ValuePlace>& dashes) const;
  bool check_options(const std::vector<ValuePlace>& dashes);
  std::shared_ptr<const Source> source_of(const Diagnostic& error, const ValuePlace& place) const;
  std::size_t number_of(const verbs::FaultyValue& value, const ValuePlace& place) const;
  void name_output(Diagnostic& error) const;
  bool report_name(const Diagnostic& error, const ValuePlace& place);
  void report(Diagnostic error, const ValuePlace& place, bool answered);
  int refuse(const Diagnostic& error, const ValuePlace& place);
  Result<std::string> rendered(const verbs::VerbAnswer& answer, const ValuePlace& place) const;
  void write(const verbs::VerbAnswer& answer, std::string text);
  bool show_part(const verbs::VerbAnswer& part);
  int answer(const ValuePlace& place);
  int write_beside();

  Session& session_;
  const verbs::Verb& verb_;
  verbs::FieldTexts texts_;
  std::unique_ptr<SessionObserver> observer_;
  Destination* destination_ = nullptr;
  ValuePlace place_;
  std::size_t lines_ = 0;
  std::optional<verbs::FileBeside> beside_;
};

}  // namespace tessera::cli
