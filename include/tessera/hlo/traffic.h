// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many bytes each step of a program reads and writes, and how many it must.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/hlo/utilization.h"

namespace tessera {

/// How often a computation runs: a loop body once for each iteration, a branch of a conditional at most once.
/// Empty upper bound: a loop whose number of iterations is unknown.
struct ComputationRuns {
  const Computation* computation = nullptr;
  Count runs;
};

/// The computations that a run of `start` executes step by step, callers first: itself and those that loops,
/// calls, conditionals and asynchronous operations in it run. Computations of fusions and reducers are
/// parts of one step and are not listed. O(instructions).
std::vector<ComputationRuns> executed_computations(const Computation& start);

/// The traffic of one step. Bytes are those of elements as stored, without padding, for one run.
struct StepTraffic {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  /// What its outputs read, each element as often as the maps read it: the traffic if nothing were reused.
  Count read = {};
  /// Different bytes that are read.
  Count used = {};
  Index operand_bytes = 0;  ///< of the operands that it reads, as a whole
  Index written = 0;
  /// The update that a dynamic-update-slice, or a fusion with one at its root, writes into its operand; the
  /// other elements stay where they are.
  bool in_place = false;
  std::vector<OperandReads> operands = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};  ///< why a number is a bound

  /// Each byte that is needed read once, and each result written once: no order of the computation moves
  /// less.
  Count minimum() const;
  /// read + written.
  Count moved() const;
  /// moved / minimum, of the upper bounds; empty without an upper bound or if nothing moves.
  std::optional<double> ratio() const;
  /// Bytes of all runs that are read again after the first time, of the upper bounds. Loops that run an
  /// unknown number of times count once.
  Index reread() const;
};

/// The traffic of a program, and of what stays at its boundary.
struct ProgramTraffic {
  std::vector<StepTraffic> steps;  ///< those that reread most first, then in the order of the module
  Count moved = {};                ///< sums over all steps and runs
  Count minimum = {};
  std::size_t unknown = 0;  ///< steps whose reads are unknown
  Index parameters = 0;     ///< bytes of the parameters of the start
  Index results = 0;        ///< bytes of its result
};

struct TrafficOptions {
  const Computation* start = nullptr;  ///< null: the entry
  JudgeLimits limits = quick_limits();
  /// Called after each step.
  std::function<void()> advance = {};
};

/// Counts the traffic of every step of a program. Steps that move no data have no entry: parameters,
/// constants, tuples, bitcasts, and reshapes that are proved to be bitcasts. Each number is exact or a bound
/// with a reason. One walk over the program, and a few microseconds for each map.
ProgramTraffic program_traffic(const HloModule& module, const TrafficOptions& options = {});

}  // namespace tessera
