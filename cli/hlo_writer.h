// SPDX-License-Identifier: Apache-2.0
/// \file
/// The answers of `tessera hlo` for instructions and modules, other than the report.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/hlo_options.h"
#include "cli/output.h"
#include "hlo/analysis/bitcast.h"
#include "report/copies_answer.h"
#include "report/indexing_json.h"
#include "report/indexing_text.h"
#include "report/stats_report.h"
#include "tessera/hlo/analyze.h"

namespace tessera::cli {

/// Writes the answers of the modules in the requested format.
class HloWriter {
 public:
  HloWriter(Session& session, const HloOptions& options, Output& out, Format format);

  void begin_file(std::string_view file);
  void begin_module(std::string_view module, bool several);
  void instruction(const InstructionIndexing& maps);
  /// Writes the answer about a whole module. `advance` is called after each instruction.
  void module(const HloModule& module, const AnalyzeOptions& analysis, std::function<void()> advance);
  /// Answers whether the two results that --same names hold the same bytes. Returns the exit status.
  int same(const ParsedModules& parsed);
  void end_file(const StatsReport& stats);
  /// `total` is the sum over all files.
  void finish(const StatsReport& total);

  IndexingDirection direction() const;
  /// The worst exit status of the answers.
  int status() const { return status_; }

 private:
  const char* bold() const;
  const char* plain() const;
  std::string headline(std::string_view word, std::string_view name) const;
  void bitcast(const InstructionIndexing& maps);

  Session& session_;
  const HloOptions& options_;
  Output& out_;
  Format format_;
  InstructionPlace place_;
  BitcastTotals bitcasts_;
  Bandwidth bandwidth_;
  int status_ = 0;
};

}  // namespace tessera::cli
