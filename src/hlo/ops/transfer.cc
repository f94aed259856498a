// SPDX-License-Identifier: Apache-2.0
/// \file
/// Transfers into and out of the module.
#include <fmt/core.h>

#include "hlo/check/types.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

IndexingSet boundary(const OpQuery&) { return unknown_set("data crosses the module boundary"); }

template <Problem (*kCheck)(const OpReader&)>
constexpr OpRule transfer() {
  return {.read = check_only<kCheck>,
          .output_to_input = boundary,
          .input_to_output = boundary,
          .kind = RuleKind::boundary,
          .tuple_operands = true};
}

// (data, token) of an infeed, (data, context, token) of a started transfer.
Problem gives_data_and_token(const OpReader& reader, std::size_t count) {
  TESSERA_RULE(reader.must_be_written());
  const HloType& type = reader.instruction().type;
  if (type.is_tuple() && type.elements().size() == count && type.elements().back().is_token())
    return std::nullopt;
  return reader.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} gives {}, but the written type is {}", reader.instruction().opcode_text,
                  count == 2 ? "(data, token)" : "(data, context, token)", short_text(type)),
      "the last element of the type is token[]");
}

Problem check_infeed(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operand_is_token(0));
  return gives_data_and_token(reader, 2);
}

Problem check_outfeed(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operand_is_token(1));
  if (const Attribute* const shape = reader.instruction().attribute("outfeed_shape")) {
    TESSERA_READ(type, read_type(*shape));
    if (!compatible(type, reader.operand(0))) {
      return reader.wrong_attribute(Code::shape_mismatch, "outfeed_shape",
                                    fmt::format("'outfeed_shape' is {}, but operand 0 is {}",
                                                short_text(type), short_text(reader.operand(0))),
                                    "it is the type of operand 0, with the layout of the host");
    }
  }
  return reader.gives(token_type());
}

Problem check_send(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operand_is_token(1));
  TESSERA_RULE(gives_data_and_token(reader, 3));
  const HloType& sent = reader.instruction().type.elements()[0];
  if (compatible(sent, reader.operand(0))) return std::nullopt;
  return reader.wrong_type(Code::shape_mismatch,
                           fmt::format("the operand of send is {}, but the written type is {}",
                                       short_text(reader.operand(0)), short_text(reader.instruction().type)),
                           "its first element is the data sent");
}

// The transfer may have started in another computation (the previous step of a loop), so any
// (data, context, token) is accepted.
Problem begun(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  const HloType& type = reader.operand(0);
  if (type.is_tuple() && type.elements().size() == 3) return std::nullopt;
  return reader.wrong_operand(Code::shape_mismatch, 0,
                              fmt::format("{} ends a transfer, (data, context, token), but its operand is {}",
                                          reader.instruction().opcode_text, short_text(type)),
                              "use the result of send or recv");
}

Problem check_recv(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operand_is_token(0));
  return gives_data_and_token(reader, 3);
}

Problem check_send_done(const OpReader& reader) {
  TESSERA_RULE(begun(reader));
  return reader.gives(token_type());
}

Problem check_recv_done(const OpReader& reader) {
  TESSERA_RULE(begun(reader));
  return reader.gives(HloType::tuple({reader.operand(0).elements()[0], token_type()}));
}

}  // namespace

constinit const OpRule kInfeedRule = transfer<check_infeed>();
constinit const OpRule kOutfeedRule = transfer<check_outfeed>();
constinit const OpRule kSendRule = transfer<check_send>();
constinit const OpRule kRecvRule = transfer<check_recv>();
constinit const OpRule kSendDoneRule = transfer<check_send_done>();
constinit const OpRule kRecvDoneRule = transfer<check_recv_done>();

}  // namespace tessera::detail
