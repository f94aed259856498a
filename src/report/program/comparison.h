// SPDX-License-Identifier: Apache-2.0
/// \file
/// The differences between two dumps of a program.
#pragma once

#include <string>
#include <vector>

#include "report/program/line_comparison.h"
#include "report/program/program_report.h"

namespace tessera::detail {

/// A step of both programs, or of only one. Bytes are upper bounds on the bytes that all runs read and write.
/// Loops that run an unknown number of times count once.
struct ChangedStep {
  const StepTraffic* before = nullptr;  ///< null: the step is new
  const StepTraffic* after = nullptr;   ///< null: the step is gone
  Index bytes_before = 0;
  Index bytes_after = 0;
  double seconds_before = 0;  ///< of all runs on the chip of the report; 0 without one
  double seconds_after = 0;

  bool exact() const;
  Index difference() const { return bytes_after - bytes_before; }
};

struct ProgramComparison {
  std::string old_file;
  /// Steps whose bytes differ, and steps of one program only. Worse ones come first, then better ones, each
  /// sorted by decreasing difference; with a chip, by that of their times.
  std::vector<ChangedStep> changes;
  std::size_t matched = 0;  ///< steps of both programs
  std::size_t worse = 0;
  std::size_t better = 0;
  std::size_t added = 0;
  std::size_t removed = 0;
  Count moved_before = {};
  Count moved_after = {};
  Count minimum_before = {};
  Count minimum_after = {};
  bool timed = false;  ///< the reports are of a chip
  double seconds_before = 0;
  double seconds_after = 0;
  std::vector<ChangedLine> lines;  ///< empty if no program has lines of code
};

/// Matches the steps of two programs, each with at most one other step. Steps match first by computation,
/// name and shape (the type without layouts); then, in order, by name without its number (`fusion.12`),
/// opcode and shape; by scope (`op_name`) and shape; by opcode and shape; the rest by scope alone. Modules
/// are matched in order. The reports must outlive the result.
ProgramComparison compare_programs(const ProgramReport& before, const ProgramReport& after);

/// A table with a line for each change and a line with the totals.
std::string to_text(const ProgramComparison& comparison);

}  // namespace tessera::detail
