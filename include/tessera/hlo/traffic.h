// SPDX-License-Identifier: Apache-2.0
/// \file
/// How many bytes each step of a program reads and writes, and how many it must move at least.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/hlo/utilization.h"

namespace tessera {

/// How often a computation runs: a loop body once for each iteration, a branch of a conditional at most once.
/// Without an upper bound if the number of iterations of a loop is unknown.
struct ComputationRuns {
  const Computation* computation = nullptr;
  Count runs;
};

/// The computations that a run of `start` executes step by step, callers first: `start`, and the computations
/// that its loops, calls, conditionals and asynchronous operations run. The computations of fusions and
/// reducers are parts of one step and are not listed. O(instructions).
std::vector<ComputationRuns> executed_computations(const Computation& start);

/// The traffic of one run of a step, in bytes of elements as they are stored, without padding.
struct StepTraffic {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  /// The bytes that its outputs read, each element as often as the maps read it: the traffic if nothing were
  /// reused.
  Count read = {};
  /// The distinct bytes that are read.
  Count used = {};
  Index operand_bytes = 0;  ///< size of all operands that the step reads
  Index written = 0;
  /// Whether only the update of a dynamic-update-slice (alone or at the root of a fusion) is written, into
  /// its operand, whose other elements stay where they are.
  bool in_place = false;
  std::vector<OperandReads> operands = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};  ///< why a number is a bound

  /// The bytes moved if each needed byte is read once and each result is written once: no order of the
  /// computation moves less.
  Count minimum() const;
  /// The bytes read and written.
  Count moved() const;
  /// moved / minimum, both as upper bounds; empty without upper bounds or if nothing must move.
  std::optional<double> ratio() const;
  /// The bytes that all runs together read again after the first read, computed from upper bounds. Loops that
  /// run an unknown number of times count once.
  Index reread() const;
};

/// The traffic of a program, and the sizes of its parameters and its result.
struct ProgramTraffic {
  std::vector<StepTraffic> steps;  ///< by bytes read again, most first; ties: callers first, then in text
                                   ///< order
  Count moved = {};                ///< sums over all steps and runs
  Count minimum = {};
  std::size_t unknown = 0;  ///< steps whose reads are unknown
  Index parameters = 0;     ///< bytes of the parameters of the computation where the program starts
  Index results = 0;        ///< bytes of the result of this computation
};

struct TrafficOptions {
  const Computation* start = nullptr;  ///< null: the entry
  JudgeLimits limits = quick_limits();
  /// Called once for each instruction.
  std::function<void()> advance = {};
};

/// Counts the traffic of every step of a program. Steps that move no data have no entry: parameters,
/// constants, tuples, bitcasts, and reshapes that are proved to be bitcasts. Each number is exact or a bound
/// with a reason. Walks the program once and takes a few microseconds for each map.
ProgramTraffic program_traffic(const HloModule& module, const TrafficOptions& options = {});

}  // namespace tessera
