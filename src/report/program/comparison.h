// SPDX-License-Identifier: Apache-2.0
/// \file
/// What changed between two dumps of a program.
#pragma once

#include <string>
#include <vector>

#include "report/program/program_report.h"

namespace tessera::detail {

/// A step of both programs, or of one. Bytes are those of all runs, read and written, at most; loops that run
/// an unknown number of times count once.
struct ChangedStep {
  const StepTraffic* before = nullptr;  ///< null: the step is new
  const StepTraffic* after = nullptr;   ///< null: the step is gone
  Index bytes_before = 0;
  Index bytes_after = 0;

  bool exact() const;
  Index difference() const { return bytes_after - bytes_before; }
};

struct ProgramComparison {
  std::string old_file;
  /// Steps whose bytes differ, and steps of one program only: worse ones first, then better ones, each with
  /// the largest difference first.
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
};

/// Matches the steps of two programs, each at most once: first those of equal computation, name and
/// shape (the type without layouts), then those of equal name without its number (`fusion.12`), opcode and
/// shape, in order, then the rest by opcode and shape. Modules are matched in order. The reports must outlive
/// the result.
ProgramComparison compare_programs(const ProgramReport& before, const ProgramReport& after);

/// A table with a line for each change and a line with the totals.
std::string to_text(const ProgramComparison& comparison);

}  // namespace tessera::detail
