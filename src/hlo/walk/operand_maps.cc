// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/plural.h"
#include "hlo/ops/rule.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

using detail::OpFacts;
using detail::OpQuery;
using detail::OpRule;

IndexingSet walk_to_input(const OpQuery& q) {
  auto maps = ProgramIndexing().output_to_operand(q.op, q.output, q.operand);
  return maps ? *std::move(maps) : detail::unknown_set(maps.error());
}

IndexingSet walk_to_output(const OpQuery& q) {
  auto maps = ProgramIndexing().operand_to_output(q.op, q.operand, q.output);
  return maps ? *std::move(maps) : detail::unknown_set(maps.error());
}

constexpr OpRule kThroughWalk{walk_to_input, walk_to_output, true};

// Answers a single query about an instruction.
Result<IndexingSet> single_query(const Instruction& instruction, std::size_t output, std::size_t operand,
                                 detail::RuleDirection direction) {
  detail::Leaves leaves;
  OpFacts facts(instruction, leaves);
  if (output >= facts.outputs()) {
    return fail(Code::index_out_of_range,
                fmt::format("{} {} has {}, but output {} was requested", instruction.opcode_text,
                            instruction.name, detail::plural(facts.outputs(), "output"), output));
  }
  if (operand >= instruction.operands.size()) {
    return fail(
        Code::index_out_of_range,
        fmt::format("{} {} has {}, but operand {} was requested", instruction.opcode_text, instruction.name,
                    detail::plural(instruction.operands.size(), "operand"), operand));
  }
  const OpRule& rule = detail::rule_of(instruction.opcode);
  return detail::apply_rule(&rule == &detail::kThroughComputationsRule ? kThroughWalk : rule, facts, output,
                            operand, direction);
}

}  // namespace

Result<IndexingSet> output_to_input(const Instruction& instruction, std::size_t output, std::size_t operand) {
  return single_query(instruction, output, operand, &OpRule::output_to_input);
}

Result<IndexingSet> input_to_output(const Instruction& instruction, std::size_t operand, std::size_t output) {
  return single_query(instruction, output, operand, &OpRule::input_to_output);
}

}  // namespace tessera
