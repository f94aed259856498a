// SPDX-License-Identifier: Apache-2.0
// Transfers into and out of the module, and the tokens that order them.
#include <fmt/core.h>

#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

HloType token() { return HloType(TensorType{.dtype = DType::token}); }

// (data, token) of an infeed, (data, context, token) of a started transfer.
Problem gives_data_and_token(const Rule& rule, std::size_t count) {
  TESSERA_RULE(rule.must_be_written());
  const HloType& type = rule.instruction().type;
  if (type.is_tuple() && type.elements().size() == count && type.elements().back().is_token())
    return std::nullopt;
  return rule.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} gives {}, but the written type is {}", rule.instruction().opcode_text,
                  count == 2 ? "(data, token)" : "(data, context, token)", short_text(type)),
      "the last element of the type is token[]");
}

Problem check_infeed(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operand_is_token(0));
  return gives_data_and_token(rule, 2);
}

Problem check_outfeed(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2));
  TESSERA_RULE(rule.operand_is_token(1));
  if (const Attribute* const shape = rule.instruction().attribute("outfeed_shape")) {
    TESSERA_READ(type, read_type(*shape));
    if (!compatible(type, rule.operand(0))) {
      return rule.wrong_attribute(Code::shape_mismatch, "outfeed_shape",
                                  fmt::format("'outfeed_shape' is {}, but operand 0 is {}", short_text(type),
                                              short_text(rule.operand(0))),
                                  "it is the type of operand 0, with the layout of the host");
    }
  }
  return rule.gives(token());
}

Problem check_send(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2));
  TESSERA_RULE(rule.operand_is_token(1));
  TESSERA_RULE(gives_data_and_token(rule, 3));
  const HloType& sent = rule.instruction().type.elements()[0];
  if (compatible(sent, rule.operand(0))) return std::nullopt;
  return rule.wrong_type(Code::shape_mismatch,
                         fmt::format("the operand of send is {}, but the written type is {}",
                                     short_text(rule.operand(0)), short_text(rule.instruction().type)),
                         "its first element is the data sent");
}

// The transfer may have started in another computation (the previous step of a loop), so any
// (data, context, token) is accepted.
Problem begun(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  const HloType& type = rule.operand(0);
  if (type.is_tuple() && type.elements().size() == 3) return std::nullopt;
  return rule.wrong_operand(Code::shape_mismatch, 0,
                            fmt::format("{} ends a transfer, (data, context, token), but its operand is {}",
                                        rule.instruction().opcode_text, short_text(type)),
                            "use the result of send or recv");
}

}  // namespace

Problem check_transfer(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::add_dependency:
      TESSERA_RULE(rule.operand_count_is(2));
      TESSERA_RULE(rule.operand_is_token(1));
      return rule.gives(rule.operand(0));
    case Opcode::infeed:
      return check_infeed(rule);
    case Opcode::outfeed:
      return check_outfeed(rule);
    case Opcode::send:
      return check_send(rule);
    case Opcode::recv:
      TESSERA_RULE(rule.operand_count_is(1));
      TESSERA_RULE(rule.operand_is_token(0));
      return gives_data_and_token(rule, 3);
    case Opcode::send_done:
      TESSERA_RULE(begun(rule));
      return rule.gives(token());
    case Opcode::recv_done:
      TESSERA_RULE(begun(rule));
      return rule.gives(HloType::tuple({rule.operand(0).elements()[0], token()}));
    default:  // after-all
      for (std::size_t i = 0; i < rule.operand_count(); ++i) TESSERA_RULE(rule.operand_is_token(i));
      return rule.gives(token());
  }
}

}  // namespace tessera::detail
