// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/op_facts.h"

#include <algorithm>
#include <span>

#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

bool treats_arrays_one_by_one(const Instruction& op) {
  if (op.operands.size() != 1 || !op.operand_type(0).is_tuple()) return false;
  const auto leafwise = rule_of(op.opcode).leafwise;
  return leafwise != nullptr && leafwise(op);
}

Pairing pairing_of(const Instruction& instruction) {
  // With slice_sizes, the operands of a collective-permute are buffers and offsets.
  const Pairing pairing = rule_of(instruction.opcode).pairing;
  if (pairing == Pairing::all || !instruction.sound || instruction.operands.size() < 2 ||
      !instruction.type.is_tuple() || instruction.attribute("slice_sizes") != nullptr) {
    return Pairing::all;
  }
  // With a tuple among several operands, outputs and operands are numbered differently.
  std::span<const HloType> results = instruction.type.elements();
  if (pairing == Pairing::started && results.size() > 1 && results[1].is_tuple())
    results = results[1].elements();
  return std::ranges::any_of(results, &HloType::is_tuple) ? Pairing::all : pairing;
}

}  // namespace

OpFacts::OpFacts(const Instruction& instruction, Leaves& counted, const ElementOptions* known_operands)
    : op_(instruction),
      leaves_(counted),
      known_operands_(known_operands),
      pairing_(pairing_of(instruction)),
      leafwise_(treats_arrays_one_by_one(instruction)) {}

const OpValue* OpFacts::value() {
  if (!read_) {
    value_ = value_of(op_, &reason_);
    read_ = true;
  }
  return value_.get();
}

const HloType& OpFacts::output_type(std::size_t leaf) const {
  return held_type(leaves_.type(op_.type, static_cast<std::uint32_t>(leaf)));
}

const HloType& OpFacts::operand_type(std::size_t operand, std::size_t leaf) const {
  return held_type(leaves_.type(op_.operand_type(operand), static_cast<std::uint32_t>(leaf)));
}

NumberRange OpFacts::operands_read(std::size_t output) const {
  const std::size_t count = op_.operands.size();
  if (pairing_ == Pairing::all) return {0, count};
  const std::size_t own = pairing_ == Pairing::started && output >= count ? output - count : output;
  return own < count ? NumberRange{own, own + 1} : NumberRange{};
}

OpFacts::Readers OpFacts::readers_of(std::size_t operand, std::size_t leaf) const {
  const std::size_t count = outputs();
  if (leafwise_) return {{leaf, std::min(leaf + 1, count)}};
  switch (pairing_) {
    case Pairing::all:
      break;
    case Pairing::results:
      return {{operand, std::min(operand + 1, count)}};
    case Pairing::started:
      return {{operand, std::min(2 * op_.operands.size(), count)}, op_.operands.size()};
  }
  return {{0, count}};
}

}  // namespace tessera::detail
