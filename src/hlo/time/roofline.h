// SPDX-License-Identifier: Apache-2.0
/// \file
/// How long the steps of a program take at the peak rates of a chip.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "hlo/operations/program_work.h"
#include "hlo/time/chip.h"
#include "tessera/hlo/traffic.h"

namespace tessera::detail {

/// What a step waits for: the resource that needs most time. undecided: bounds overlap, or nothing is known.
enum class Limit : std::uint8_t { none, memory, compute, link, undecided };

/// `memory`, `compute`, `link`, `?`; empty for none.
std::string_view to_string(Limit limit);

/// Seconds, between two bounds. `upper` is infinite if there is no bound.
struct Seconds {
  double lower = 0;
  double upper = 0;
  bool exact() const { return lower == upper; }
  /// The upper bound, or the lower one if there is none.
  double finite() const { return std::isfinite(upper) ? upper : lower; }
};
Seconds operator+(const Seconds& a, const Seconds& b);

/// The time of one run of a step, if each resource works at its peak rate and all work at once. Memory moves
/// the bytes that must move, as if each step read its operands from memory and no cache kept them.
struct StepTime {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  Count bytes = {};  ///< that must move
  Count flops = {};  ///< with integer operations
  Seconds memory = {};
  Seconds compute = {};
  Seconds link = {};
  Seconds time = {};   ///< the largest of these, of one run
  Seconds total = {};  ///< of all runs
  Limit limit = Limit::none;
};

/// The times of all steps, and what they miss.
struct ProgramTime {
  std::vector<StepTime> steps;  ///< by time of all runs, most first
  Seconds total = {};           ///< of all steps one after another
  Seconds memory = {};          ///< what steps that wait for memory take
  Seconds compute = {};
  Seconds link = {};
  Seconds undecided = {};
  /// What memory would take for the bytes that loops of steps without a product read again for another index,
  /// except broadcasts, if no cache kept them. Not in `total`.
  Seconds rereading = {};
  /// Of `link`, what exchanges between a start and an end take at most while the steps between them run. Not
  /// taken off `total`.
  Seconds hidden = {};
  Seconds moving = {};  ///< steps without operations other than collectives: they only move data
  std::string unrated =
      {};  ///< operations that the chip has no rate for, which take no time here; empty: none
};

/// Bytes that each device sends for a step.
struct StepLink {
  const Instruction* instruction = nullptr;
  Count bytes = {};
  std::vector<const Instruction*> between = {};  ///< the steps between its start and its end
};

/// The roofline times of a program on a chip: an estimate, not a measurement. `links` has the collectives.
ProgramTime program_time(const ProgramTraffic& traffic, const ProgramWork& work, const Chip& chip,
                         const std::vector<StepLink>& links);

}  // namespace tessera::detail
