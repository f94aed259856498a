// SPDX-License-Identifier: Apache-2.0
/// \file
/// The report of `tessera hlo`: the page, its JSON, the summary, and the comparison of two dumps.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/session.h"
#include "report/program/program_report.h"
#include "tessera/hlo/module.h"

namespace tessera::cli {

/// Collects the modules of all files, then writes one answer.
class HloReport {
 public:
  /// `old_file` has the old program, or is empty. If `with_summary`, the text includes the summary.
  HloReport(std::vector<std::string> files, std::string old_file, bool with_summary,
            detail::ReportOptions options);

  /// Analyzes the modules of a file, starting at `computation` (if empty, at the entry), and keeps them.
  /// Calls `advance` twice for each instruction.
  AnalyzeStats add(const std::string& file, const std::string& computation, ParsedModules parsed,
                   const std::function<void()>& advance);

  /// Writes the page, the JSON or the text. Returns the exit status, which reflects errors in the old file.
  int write(Session& session, Output& out, Format format);

 private:
  std::vector<std::string> files_;
  std::string old_file_;
  std::string computation_ = {};
  bool with_summary_;
  detail::ReportOptions options_;
  std::deque<ParsedModules> parsed_;
  detail::ReportBuilder builder_;
};

/// Reports every error in the text. The valid rest is still analyzed. Returns the exit status.
int report_diagnostics(Session& session, const ParsedModules& parsed);

}  // namespace tessera::cli
