// SPDX-License-Identifier: Apache-2.0
/// \file
/// The maps between an output and an operand of an instruction.
#pragma once

#include "hlo/ops/rule.h"

namespace tessera::detail {

/// Which of the two functions of a rule: `&OpRule::output_to_input` or `&OpRule::input_to_output`.
using RuleDirection = IndexingSet (*OpRule::*)(const OpQuery&);

/// The maps between an output and an operand of an instruction, both of which must exist. Handles errors,
/// tokens, unbounded dimensions, and tuples that the rule does not handle. Checks that the rule's maps have
/// the ranks of the two arrays. `rule`: the opcode's rule, or another one to use instead.
IndexingSet apply_rule(const OpRule& rule, OpFacts& facts, OutputOperand pair, RuleDirection direction);
/// As apply_rule, with the opcode's own rule. Requires that the opcode does not call
/// computations.
IndexingSet output_to_input(OpFacts& facts, OutputOperand pair);
IndexingSet input_to_output(OpFacts& facts, OutputOperand pair);

}  // namespace tessera::detail
