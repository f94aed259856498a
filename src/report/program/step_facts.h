// SPDX-License-Identifier: Apache-2.0
/// \file
/// Properties of a step that the summary uses.
#pragma once

#include <string>

#include "tessera/hlo/traffic.h"

namespace tessera::detail {

/// The upper bound, or the lower one if there is none.
inline Index upper_of(const Count& count) { return count.upper.value_or(count.lower); }

/// True if the instruction, or a computation that it calls, has a product such as a dot, which naturally
/// reads its operands more than once.
bool has_product(const Instruction& op, int depth = 0);

/// The bytes of all runs, if `bytes` is the number for one run. Loops that run an unknown number of times
/// count once.
Index times_runs(const StepTraffic& step, Index bytes);

/// How often a step reads each byte that it uses: `: each byte 8 times`, `: each byte 256 to 1024 times`, or
/// on average, unless it is proved for all of them.
std::string each_byte_words(const StepTraffic& step);

/// True if every number of the step is exact.
bool all_exact(const StepTraffic& step);

}  // namespace tessera::detail
