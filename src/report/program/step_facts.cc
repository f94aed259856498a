// SPDX-License-Identifier: Apache-2.0
#include "report/program/step_facts.h"

#include <algorithm>

#include "hlo/analysis/array_bytes.h"

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

Index read_again(const StepTraffic& step) {
  Index out = 0;
  for (const OperandReads& x : step.operands) {
    if (upper_of(x.reads.used) <= 1 || !x.reads.reads.upper) continue;
    const Index bits = element_bits(leaf_type(step.instruction->operand_type(x.operand), x.leaf).array());
    const Index again = std::max<Index>(*x.reads.reads.upper - upper_of(x.reads.used), 0);
    out = checked_add(out, checked_mul(again, bits).value_or(kIndexMax) / 8).value_or(kIndexMax);
  }
  return out;
}

bool all_exact(const StepTraffic& step) {
  return step.read.exact() && step.used.exact() && step.runs.exact() && step.exactness == Exactness::exact;
}

}  // namespace tessera::detail
