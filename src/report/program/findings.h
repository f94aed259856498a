// SPDX-License-Identifier: Apache-2.0
/// \file
/// The inefficiencies of a program, in plain words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/program/program_report.h"

namespace tessera::detail {

/// One sentence of the summary.
struct Finding {
  /// `total`, `tiled`, `reads`, `wastes`, `uncoalesced`, `padding`, `copies`, `unknown`.
  std::string_view kind;
  std::string text;
  const Instruction* instruction = nullptr;  ///< the subject of the sentence
  std::optional<Index> bytes = {};           ///< the wasted bytes; an upper bound if not `exact`
  bool exact = true;                         ///< false: some number is a bound
  std::string command = {};                  ///< a command that prints the numbers of the sentence
};

/// The summary of a module: `total` first, then the other kinds; within a kind, the most bytes first. If the
/// program does not have a kind of waste, a sentence says so.
std::vector<Finding> findings(const ProgramReport& report, const ReportedModule& module);

/// The text of a summary: a line for each finding.
std::string summary_text(const ProgramReport& report);

}  // namespace tessera::detail
