// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations: what a start runs, and late binding, where updates bind operands and results that
// the start lacks.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/check/started.h"
#include "hlo/limits.h"
#include "hlo/walk/program_indexing.h"
#include "hlo/walk/steps.h"

namespace tessera {

using detail::bound_by;
using detail::BoundParameters;
using detail::OperandStep;
using detail::Use;

namespace {

// The first array of the result in the type of an instruction of a chain.
std::uint32_t first_result(const Instruction& op, detail::Leaves& leaves) {
  return op.opcode == Opcode::async_done ? 0 : leaves.offsets(op.type)[1];
}

// How many arrays of a result the chain has before an update or an end.
std::uint32_t results_before(const Instruction& op, detail::Leaves& leaves) {
  const auto offsets = leaves.offsets(op.operand_type(0));
  return offsets.size() < 3 ? 0 : offsets[2] - offsets[1];
}

}  // namespace

const Instruction* ProgramIndexing::Impl::started(const Instruction& start) {
  if (const auto found = started_memo.find(&start); found != started_memo.end()) return found->second.get();
  // A start that does not fit its operands is not sound, even if the parser did not check it.
  auto op = detail::started_operation(start);
  if (!op && start.opcode_text != "async-start") {
    op = start;
    op->sound = false;
  }
  std::unique_ptr<const Instruction> kept;
  if (op) kept = std::make_unique<Instruction>(*std::move(op));
  return started_memo.emplace(&start, std::move(kept)).first->second.get();
}

const Instruction* ProgramIndexing::Impl::start_of(const Instruction& op) {
  std::vector<const Instruction*> chain;
  const Instruction* start = &op;
  while (start != nullptr && start->opcode != Opcode::async_start) {
    if (const auto found = start_memo.find(start); found != start_memo.end()) {
      start = found->second;
      break;
    }
    chain.push_back(start);
    const bool follows = start->opcode == Opcode::async_update || start->opcode == Opcode::async_done;
    const bool whole = follows && !start->operands.empty() && start->operands[0].tuple_index < 0;
    start = whole ? start->operands[0].instruction : nullptr;
  }
  for (const Instruction* member : chain) start_memo.emplace(member, start);
  return start;
}

std::optional<Operand> ProgramIndexing::Impl::bound_operand(const Instruction& at, std::size_t parameter) {
  for (const Instruction* op = &at;; op = op->operands[0].instruction) {
    const BoundParameters bound = bound_by(*op);
    if (parameter >= bound.first) {
      const std::size_t operand = bound.first_operand + parameter - bound.first;
      if (parameter >= bound.last || operand >= op->operands.size()) return std::nullopt;
      return op->operands[operand];
    }
  }
}

std::vector<OperandStep> ProgramIndexing::Impl::late_steps(const Instruction& instruction,
                                                           std::uint32_t leaf) {
  if (instruction.opcode != Opcode::async_update && instruction.opcode != Opcode::async_done) return {};
  const Instruction* const start = start_of(instruction);
  const Computation* const run = start == nullptr ? nullptr : detail::started_computation(*start);
  if (run == nullptr || detail::bound_operands(instruction.operand_type(0)) == nullptr)
    return unknown_steps(instruction, "the computation of the asynchronous operation is not known");
  return bound_steps(instruction, *run, leaf, leaf - first_result(instruction, leaves));
}

std::vector<OperandStep> ProgramIndexing::Impl::bound_steps(const Instruction& op, const Computation& run,
                                                            std::uint32_t output, std::uint32_t result) {
  if (call_height(run) > detail::kHloLimits.walk.call_height) {
    return unknown_steps(
        op, fmt::format("calls are nested more than {} levels deep", detail::kHloLimits.walk.call_height));
  }
  if (run.root == nullptr || result >= leaves.count(run.root->type))
    return unknown_steps(op, "the types of the call and the computation differ");
  const BoundParameters bound = bound_by(op);
  std::vector<OperandStep> out;
  const bool had_result = op.opcode != Opcode::async_start && results_before(op, leaves) > 0;
  if (had_result) out.push_back(identity_step(op, 0, leaves.offsets(op.operand_type(0))[1] + result, output));
  for (const ParameterIndexing& parameter : root_to_parameters(run, result)) {
    const bool held = parameter.parameter < bound.first;
    // What the chain bound before, its result contains already; what it binds later, later results contain.
    if ((held && had_result) || parameter.parameter >= bound.last) continue;
    const std::size_t operand = held ? 0 : bound.first_operand + parameter.parameter - bound.first;
    if (operand >= op.operands.size())
      return unknown_steps(op, "the operands do not match the parameters of the computation");
    const HloType& whole = op.operand_type(operand);
    const HloType& given = held ? detail::bound_operands(whole)->elements()[parameter.parameter] : whole;
    if (!takes(run, parameter.parameter, parameter.leaf, given))
      return unknown_steps(op, "the types of the operand and the parameter differ");
    const std::uint32_t before =
        held ? leaves.offsets(*detail::bound_operands(whole))[parameter.parameter] : 0;
    OperandStep step = step_to(op, operand, before + parameter.leaf);
    step.maps = parameter.maps;
    resolve_sources(step.maps, {&op, 0}, [&](const Instruction& inside) -> std::optional<Operand> {
      if (inside.parent != &run || inside.parameter_number < 0) return std::nullopt;
      return bound_operand(op, static_cast<std::size_t>(inside.parameter_number));
    });
    step.identity = detail::is_full_identity(step.maps, leaves.type(op.type, output));
    out.push_back(std::move(step));
  }
  return out;
}

std::vector<Use> ProgramIndexing::Impl::late_uses(const Instruction& user, std::size_t operand,
                                                  std::uint32_t leaf) {
  std::vector<Use> out;
  const HloType* const held = detail::bound_operands(user.operand_type(0));
  const std::uint32_t first = first_result(user, leaves);
  const std::uint32_t count = leaves.count(user.type);
  if (held == nullptr || first >= count || forwarded(user, first)) return out;
  const Instruction* const start = start_of(user);
  const Computation* const run = start == nullptr ? nullptr : detail::started_computation(*start);
  if (run == nullptr)
    return unknown_uses(user.type, "the computation of the asynchronous operation is not known");
  const std::uint32_t results = results_before(user, leaves);
  const BoundParameters bound = bound_by(user);
  std::size_t parameter = bound.first + operand - 1;
  if (operand == 0) {
    const auto chain = leaves.offsets(user.operand_type(0));
    if (leaf >= chain[1] && leaf < chain[2]) {
      const std::uint32_t output = first + leaf - chain[1];
      if (output >= count) return out;
      Use use{.leaf = output,
              .maps = {detail::handed_on(leaves.type(user.operand_type(0), leaf),
                                         leaves.type(user.type, output))}};
      use.identity = use.maps[0].exactness == Exactness::exact;
      out.push_back(std::move(use));
    }
    if (leaf >= chain[1] || results > 0) return out;
    parameter = leaves.element(*held, leaf);
    leaf -= leaves.offsets(*held)[parameter];
  } else if (parameter >= bound.last) {
    return out;  // a buffer for the result
  }
  if (call_height(*run) > detail::kHloLimits.walk.call_height || run->root == nullptr ||
      parameter >= run->parameters.size() || run->parameters[parameter] == nullptr ||
      leaf >= leaves.count(run->parameters[parameter]->type))
    return unknown_uses(user.type, "the operands do not match the parameters of the computation");
  const HloType& read = leaves.type(run->parameters[parameter]->type, leaf);
  for (const OutputIndexing& output : parameter_to_root(*run, static_cast<std::uint32_t>(parameter), leaf)) {
    Use use{.leaf = first + output.leaf, .maps = output.maps};
    if (use.leaf >= count) continue;
    resolve_sources(use.maps, {&user, 0}, [&](const Instruction& inside) -> std::optional<Operand> {
      if (inside.parent != run || inside.parameter_number < 0) return std::nullopt;
      return bound_operand(user, static_cast<std::size_t>(inside.parameter_number));
    });
    use.identity = detail::is_full_identity(use.maps, read) &&
                   detail::same_extents(read, leaves.type(user.type, use.leaf));
    out.push_back(std::move(use));
  }
  return out;
}

}  // namespace tessera
