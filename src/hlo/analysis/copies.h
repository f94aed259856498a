// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that only move elements: whether they really move any, and chains of them that one movement,
/// or none, could replace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/analysis/bitcast.h"
#include "tessera/hlo/traffic.h"

namespace tessera {

/// A copy, transpose, reshape or bitcast-convert of an array, or a fusion of nothing else.
struct Movement {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  /// `yes`: a bitcast would do. `no`: elements move; `bytes` are those of the result.
  BitcastAnswer answer;
  /// The kernels of a plan that moves them, such as `transpose`, in the order of the plan; empty if there is
  /// none.
  std::vector<std::string> kernels = {};

  /// Bytes read and written by all runs, without padding; loops that run an unknown number of times count
  /// once. 0 unless elements move.
  Index traffic() const;
};

/// Movements that follow each other, of which at least two move elements.
struct MovementChain {
  std::vector<const Instruction*> instructions;  ///< the first one first, with the bitcasts between them
  Count runs = {1, 1};
  BitcastAnswer answer;  ///< from the first operand to the last result
  Index traffic = 0;     ///< sum over its members
  Index saving = 0;      ///< what one movement, or none if the chain cancels, would save

  /// Whether the last result has the same bytes in memory as the first operand, so that nothing needs to
  /// move. Otherwise one movement is enough.
  bool cancels() const { return answer.verdict == Verdict::yes; }
};

struct CopiesReport {
  /// Movements, those with the most traffic first. Without bitcasts, and without reshapes and
  /// bitcast-converts that move nothing, which `free` counts.
  std::vector<Movement> movements;
  std::vector<MovementChain> chains;  ///< largest saving first
  std::size_t free = 0;
  std::size_t unknown = 0;  ///< movements that may or may not move elements
  Index traffic = 0;        ///< sum over the movements, saturating
  Index saving = 0;         ///< sum over the chains, saturating
};

/// Finds the movements that a run of `start` (null: the entry) executes. Results between the members of a
/// chain have no other users, unless the chain cancels. Exact; an answer that reached a limit is `undecided`.
/// Cost: that of bitcast_answer and of a plan for each movement.
CopiesReport copies_report(const HloModule& module, const Computation* start = nullptr);

/// The bytes per second that a plain copy of 32 MiB on one core reads and writes, measured in about 50 ms.
/// All estimates of time rest on this measurement.
double measured_bandwidth();

}  // namespace tessera
