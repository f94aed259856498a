// SPDX-License-Identifier: Apache-2.0
/// \file
/// The options of `tessera hlo`, and which of them go together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "hlo/analysis/padding.h"
#include "tessera/base/index.h"

namespace tessera::cli {

/// The options of `tessera hlo`.
struct HloOptions {
  std::vector<std::string> files;
  std::string direction = "out";
  std::string op;
  std::string computation;
  bool fused = false;
  int threads = 0;
  bool stats = false;
  bool bitcasts = false;
  bool traffic = false;
  std::string padding;  ///< the rule for padding, or `own`
  bool copies = false;
  double bandwidth = 0;           ///< GB/s; 0: measured
  std::vector<std::string> same;  ///< the two results to compare
  bool summary = false;
  std::string compare;  ///< the file with the old program
  bool parameters = false;
  std::vector<std::string> set;   ///< with parameters: values of runtime variables, `rt0=20`
  std::optional<std::string> at;  ///< with parameters: the element to ask about
  Index leaf = 0;                 ///< with parameters: its array, for a tuple

  /// The tiling rule that is named; empty: that of the program.
  std::optional<TilingRule> rule() const;
  /// The options for lists that replace the maps.
  std::vector<const char*> lists() const {
    std::vector<const char*> out;
    if (stats) out.push_back("--stats");
    if (bitcasts) out.push_back("--bitcasts");
    if (traffic) out.push_back("--traffic");
    if (!padding.empty()) out.push_back("--padding");
    if (copies) out.push_back("--copies");
    if (!same.empty()) out.push_back("--same");
    if (summary) out.push_back("--summary");
    if (!compare.empty()) out.push_back("--compare");
    if (parameters) out.push_back("--parameters");
    return out;
  }
  /// True if the answer is about whole modules.
  bool whole() const { return traffic || copies || parameters || (!padding.empty() && !reported); }
  bool legacy = false;
  std::string report;
  bool reported = false;  ///< true if the answer is the report
};

/// `--report FILE` means `-o FILE` with the report as the answer. The answer in an HTML file is always the
/// report. False, after a message, if two files are named.
bool take_report(Session& session, HloOptions& options);
/// Refuses an option that has no effect with another one: false, after a message.
bool check_together(Session& session, const HloOptions& options);
/// Refuses two inputs from stdin: false, after a message.
bool check_stdin(Session& session, const HloOptions& options);

}  // namespace tessera::cli
