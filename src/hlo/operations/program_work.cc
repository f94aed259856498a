// SPDX-License-Identifier: Apache-2.0
#include "hlo/operations/program_work.h"

#include <algorithm>
#include <utility>

#include "hlo/check/started.h"
#include "hlo/operations/op_work.h"
#include "tessera/hlo/traffic.h"

namespace tessera::detail {
namespace {

// Whether the instructions of the computations that it runs are steps of their own.
bool runs_steps(const Instruction& op) {
  if (op.opcode == Opcode::async_start) return started_steps(op) != nullptr;
  return op.opcode == Opcode::call || op.opcode == Opcode::conditional || op.opcode == Opcode::while_;
}

Index upper_or_largest(const Count& count) { return count.upper.value_or(kIndexMax); }

}  // namespace

ProgramWork program_work(const HloModule& module, const Computation* start) {
  ProgramWork out;
  if (start == nullptr) start = module.entry;
  if (start == nullptr) return out;
  OperationCounter counter;
  std::vector<std::pair<Index, StepWork>> steps;
  for (const auto& [computation, runs] : executed_computations(*start)) {
    if (runs.upper == Index{0}) continue;
    for (const auto& op : computation->instructions) {
      if (runs_steps(*op) && op->sound) continue;
      StepWork step{op.get(), runs, counter.of(*op)};
      if (step.work.none()) continue;
      const Work all = step.work.times(runs);
      const Count operations = all.operations();
      out.total.add(all);
      const Index order = step.work.unknown().empty() ? upper_or_largest(operations) : operations.lower;
      steps.emplace_back(order, std::move(step));
    }
  }
  std::ranges::stable_sort(steps, std::ranges::greater{}, [](const auto& x) { return x.first; });
  out.steps.reserve(steps.size());
  for (auto& [order, step] : steps) out.steps.push_back(std::move(step));
  return out;
}

}  // namespace tessera::detail
