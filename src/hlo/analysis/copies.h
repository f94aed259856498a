// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that only move elements: whether they really move any, and chains of them that one movement,
/// or none, could replace.
#pragma once

#include <cstddef>
#include <vector>

#include "hlo/analysis/movement.h"
#include "tessera/base/index.h"
#include "tessera/hlo/module.h"

namespace tessera {

struct CopiesReport {
  /// Movements, those with the most traffic first, and among equals those that move elements. Without
  /// bitcasts, and without reshapes and bitcast-converts that move nothing, which `free` counts.
  std::vector<Movement> movements;
  std::vector<MovementChain> chains;  ///< largest saving first
  std::size_t free = 0;
  std::size_t unknown = 0;    ///< movements that may or may not keep their elements in place
  Index traffic = 0;          ///< sum over the movements, saturating
  Index saving = 0;           ///< sum over the chains, saturating
  Index bitcast_savings = 0;  ///< sum of Movement::saving, saturating
};

/// Finds the movements that a run of `start` (null: the entry) executes; `traffic` is that of the same run,
/// whose numbers they have. Results between the members of a chain have no other users, unless the chain
/// cancels. Exact; an answer that reached a limit is `undecided`. Cost: that of bitcast_answer and of a plan
/// for each movement.
CopiesReport copies_report(const HloModule& module, const ProgramTraffic& traffic,
                           const Computation* start = nullptr);

/// Counts the traffic first.
CopiesReport copies_report(const HloModule& module, const Computation* start = nullptr);

/// The bytes per second that a plain copy of 32 MiB on one core reads and writes, measured in about 50 ms.
/// All estimates of time rest on this measurement.
double measured_bandwidth();

}  // namespace tessera
