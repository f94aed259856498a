// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program wastes, in plain words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/program/program_report.h"

namespace tessera::detail {

/// One sentence of the summary.
struct Finding {
  /// `total`, `reads`, `wastes`, `uncoalesced`, `padding`, `copies`, `unknown`.
  std::string_view kind;
  std::string text;
  const Instruction* instruction = nullptr;  ///< that the sentence is about
  std::optional<Index> bytes = {};           ///< the wasted bytes, at most if not `exact`
  bool exact = true;                         ///< false: a number is a bound
  std::string command = {};                  ///< prints the numbers of the sentence
};

/// The summary of a module: `total` first, then each kind with the most bytes first. A kind of waste that the
/// program does not have gets a sentence that says so.
std::vector<Finding> findings(const ProgramReport& report, const ReportedModule& module);

/// The text of a summary: a line for each finding.
std::string summary_text(const ProgramReport& report);

}  // namespace tessera::detail
