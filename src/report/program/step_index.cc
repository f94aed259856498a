// SPDX-License-Identifier: Apache-2.0
#include "report/program/step_index.h"

namespace tessera::detail {

StepIndex::StepIndex(const ReportedModule& module) {
  for (const StepTraffic& step : module.traffic.steps) steps_.emplace(step.instruction, &step);
  for (const ReportedInstruction& one : module.instructions) {
    for (const Operand& operand : one.instruction->operands)
      users_[operand.instruction].push_back(one.instruction);
  }
}

const StepTraffic* StepIndex::step_of(const Instruction& op) const {
  const auto found = steps_.find(&op);
  return found == steps_.end() ? nullptr : found->second;
}

std::span<const Instruction* const> StepIndex::users_of(const Instruction& op) const {
  const auto found = users_.find(&op);
  return found == users_.end() ? std::span<const Instruction* const>() : found->second;
}

}  // namespace tessera::detail
