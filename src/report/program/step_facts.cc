// SPDX-License-Identifier: Apache-2.0
#include "report/program/step_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/program/summary_words.h"

namespace tessera::detail {

bool has_product(const Instruction& op, int depth) {
  if (op.opcode == Opcode::dot || op.opcode == Opcode::convolution || op.opcode == Opcode::ragged_dot ||
      op.opcode == Opcode::scaled_dot)
    return true;
  if (depth > 8) return false;
  return std::ranges::any_of(op.called, [&](const Computation* called) {
    return std::ranges::any_of(called->instructions,
                               [&](const auto& inner) { return has_product(*inner, depth + 1); });
  });
}

Index times_runs(const StepTraffic& step, Index bytes) {
  return checked_mul(bytes, std::max<Index>(upper_of(step.runs), 1)).value_or(kIndexMax);
}

std::string each_byte_words(const StepTraffic& step) {
  const bool exact = step.read.exact() && step.used.exact();
  bool even = exact && !step.operands.empty();
  std::optional<Index> fewest;
  Index most = 0;
  for (const OperandReads& x : step.operands) {
    if (x.reads.used == Count{0, 0}) continue;
    even = even && x.reads.even && x.reads.reads.exact() && x.reads.used.exact() &&
           x.reads.reads.lower % x.reads.used.lower == 0;
    if (!even) break;
    const Index times = x.reads.reads.lower / x.reads.used.lower;
    fewest = std::min(fewest.value_or(times), times);
    most = std::max(most, times);
  }
  if (even && fewest) {
    return *fewest == most ? fmt::format(": each byte {} times", most)
                           : fmt::format(": each byte {} to {} times", *fewest, most);
  }
  const auto times = [](Index part, Index whole) { return times_words(part, whole); };
  // What is used is read at least once.
  const Index used_most = upper_of(step.used);
  const Index least = std::max(step.read.lower, used_most);
  if (exact) return fmt::format(": each byte {} times on average", times(step.read.lower, step.used.lower));
  if (!step.read.upper || !step.used.upper || step.used.lower == 0)
    return fmt::format(": each byte at least {} times on average", times(least, used_most));
  return fmt::format(": each byte {} to {} times on average", times(least, used_most),
                     times(*step.read.upper, step.used.lower));
}

bool all_exact(const StepTraffic& step) {
  return step.read.exact() && step.used.exact() && step.written.exact() && step.runs.exact() &&
         step.exactness == Exactness::exact;
}

}  // namespace tessera::detail
