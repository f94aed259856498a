// SPDX-License-Identifier: Apache-2.0
/// \file
/// The operations of a program, step by step.
#pragma once

#include <vector>

#include "hlo/operations/work.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The operations of one run of an instruction that a program executes, and how often it runs.
struct StepWork {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  Work work;
};

/// All steps with operations, or with unknown ones. The total is the sum over all steps and runs.
struct ProgramWork {
  std::vector<StepWork> steps;  ///< by operations of all runs, most first; ties: callers first, then in text
                                ///< order
  Work total;
};

/// Counts the operations of a program that starts at `start`, or at the entry if that is null. The steps, and
/// how often they run, are those of program_traffic: a fusion is one step, and the instructions that loops,
/// calls and conditionals run are steps of their own. O(instructions).
ProgramWork program_work(const HloModule& module, const Computation* start = nullptr);

}  // namespace tessera::detail
