// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/plural.h"
#include "hlo/ops/apply_rule.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/rule.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

using detail::OpFacts;
using detail::OpQuery;
using detail::OpRule;

IndexingSet walk_to_input(const OpQuery& q) {
  auto maps = ProgramIndexing().output_to_operand(q.op, {.output = q.output, .operand = q.operand});
  return maps ? *std::move(maps) : detail::unknown_set(maps.error());
}

IndexingSet walk_to_output(const OpQuery& q) {
  auto maps = ProgramIndexing().operand_to_output(q.op, {.output = q.output, .operand = q.operand});
  return maps ? *std::move(maps) : detail::unknown_set(maps.error());
}

constexpr OpRule kThroughWalk{
    .output_to_input = walk_to_input, .input_to_output = walk_to_output, .tuple_operands = true};

// Answers a single query about an instruction.
Result<IndexingSet> single_query(const Instruction& instruction, OutputOperand pair,
                                 detail::RuleDirection direction) {
  const auto [output, operand] = pair;
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
  if (rule.kind == detail::RuleKind::computations)
    return detail::apply_rule(kThroughWalk, facts, pair, direction);
  return split_tables(detail::apply_rule(rule, facts, pair, direction), Points::preserve);
}

}  // namespace

Result<IndexingSet> output_to_input(const Instruction& instruction, OutputOperand pair) {
  return single_query(instruction, pair, &OpRule::output_to_input);
}

Result<IndexingSet> input_to_output(const Instruction& instruction, OutputOperand pair) {
  return single_query(instruction, pair, &OpRule::input_to_output);
}

}  // namespace tessera
