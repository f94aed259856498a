// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/started.h"

#include <algorithm>

#include "hlo/limits.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {

std::optional<Instruction> started_operation(const Instruction& start) {
  constexpr std::string_view kSuffix = "-start";
  if (start.opcode != Opcode::async_start || start.opcode_text == "async-start" ||
      !start.opcode_text.ends_with(kSuffix) || !start.type.is_tuple() || start.type.elements().size() < 2) {
    return std::nullopt;
  }
  Instruction op = start;
  op.opcode_text.remove_suffix(kSuffix.size());
  op.opcode = parse_opcode(op.opcode_text).value_or(Opcode::unknown);
  op.type = HloType(start.type.elements()[1]);
  return op;
}

const Computation* started_computation(const Instruction& start) {
  if (start.opcode != Opcode::async_start) return nullptr;
  if (start.opcode_text == "call-start") return called_by(start, "to_apply");
  const bool calls = start.opcode_text == "async-start" || start.opcode_text == "fusion-start";
  return calls ? called_by(start, "calls") : nullptr;
}

const Computation* started_steps(const Instruction& start) {
  return start.opcode_text == "fusion-start" ? nullptr : started_computation(start);
}

const Instruction* chain_start(const Instruction& op) {
  const Instruction* at = &op;
  for (int i = 0; i <= kHloLimits.check.updates; ++i) {
    if (at->opcode == Opcode::async_start) return at;
    const bool follows = at->opcode == Opcode::async_update || at->opcode == Opcode::async_done;
    if (!follows || at->operands.empty() || at->operands[0].tuple_index >= 0) return nullptr;
    at = at->operands[0].instruction;
  }
  return nullptr;
}

const HloType* bound_operands(const HloType& chain) {
  if (!chain.is_tuple() || chain.elements().size() < 2 || !chain.elements()[0].is_tuple()) return nullptr;
  return &chain.elements()[0];
}

const HloType* bound_result(const HloType& chain) {
  return bound_operands(chain) == nullptr ? nullptr : &chain.elements()[1];
}

BoundParameters bound_by(const Instruction& op) {
  if (op.opcode == Opcode::async_start) return {0, op.operands.size(), 0};
  const HloType* const held = bound_operands(op.operand_type(0));
  const std::size_t first = held == nullptr ? 0 : held->elements().size();
  const HloType* const holds = op.opcode == Opcode::async_update ? bound_operands(op.type) : nullptr;
  return {first, std::max(first, holds == nullptr ? first : holds->elements().size()), 1};
}

}  // namespace tessera::detail
