// SPDX-License-Identifier: Apache-2.0
/// \file
/// What reads the result of each instruction of a module, and what each step moves.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "report/program/program_report.h"

namespace tessera::detail {

/// The users and the traffic of instructions. The module must outlive the index.
class StepIndex {
 public:
  explicit StepIndex(const ReportedModule& module);

  /// What the step moves; null if the instruction is not a step.
  const StepTraffic* step_of(const Instruction& op) const;
  /// The instructions that read the result, in the order of the module: once for each operand.
  std::span<const Instruction* const> users_of(const Instruction& op) const;

 private:
  std::unordered_map<const Instruction*, const StepTraffic*> steps_;
  std::unordered_map<const Instruction*, std::vector<const Instruction*>> users_;
};

}  // namespace tessera::detail
