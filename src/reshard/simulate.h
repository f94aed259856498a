// SPDX-License-Identifier: Apache-2.0
/// \file
/// A plan carried out on the numbers of elements.
#pragma once

#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// How many elements of target buffers were compared.
struct SimulationReport {
  Index elements = 0;
  bool all = true;  ///< else chosen at random
};

/// Up to this many cells of all local arrays, every one is compared.
inline constexpr Index kSimulateAll = Index{1} << 24;

/// Puts the number of each element where the source has it, runs all messages, and compares every cell of the
/// target: elements are there, written once, and cells without an element are unchanged. Beyond kSimulateAll
/// cells: follows random elements through the messages of their receivers. Errors: verify_failed, limit.
Result<SimulationReport> simulate(const ReshardPlan& plan);

}  // namespace tessera
