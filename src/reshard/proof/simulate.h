// SPDX-License-Identifier: Apache-2.0
/// \file
/// Executes a plan on the numbers of elements.
#pragma once

#include "reshard/limits.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// The number of elements of target buffers that were compared.
struct SimulationReport {
  Index elements = 0;
  bool all = true;  ///< false: they were chosen at random
};

/// Writes the number of each element to its cells in the source, executes all messages, and compares every
/// cell of the target: each element must be in its cell, written once, and cells without an element must not
/// change. With more than kReshardLimits.simulated cells, follows random elements through the messages of
/// their receivers instead. Errors: verify_failed, limit.
Result<SimulationReport> simulate(const ReshardPlan& plan);

}  // namespace tessera
