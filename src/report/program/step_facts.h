// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the summary asks about a step.
#pragma once

#include "tessera/hlo/traffic.h"

namespace tessera::detail {

/// The upper bound, or the lower one if there is none.
inline Index upper_of(const Count& count) { return count.upper.value_or(count.lower); }

/// Whether the instruction, or what it calls, multiplies and adds: it reads its operands again by nature.
bool has_product(const Instruction& op, int depth = 0);

/// The bytes of all runs, if one run has these. Loops that run an unknown number of times count once.
Index times_runs(const StepTraffic& step, Index bytes);

/// The bytes that one run reads again, at most. Without single elements, which stay in a register.
Index read_again(const StepTraffic& step);

/// Whether every number of the step is exact.
bool all_exact(const StepTraffic& step);

}  // namespace tessera::detail
