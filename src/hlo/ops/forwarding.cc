// SPDX-License-Identifier: Apache-2.0
// tuple, get-tuple-element, and opcodes that return their operand.
#include "hlo/ops/forwarding.h"

#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/types.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {

std::optional<ForwardedLeaf> forwarded(const Instruction& instruction, std::uint32_t leaf, Leaves& leaves) {
  const auto forwards = rule_of(instruction.opcode).forwards;
  if (forwards == nullptr || instruction.operands.empty()) return std::nullopt;
  return forwards(instruction, leaf, leaves);
}

std::optional<ForwardedLeaf> same_leaf(const Instruction&, std::uint32_t leaf, Leaves&) {
  return ForwardedLeaf{0, leaf};
}

// A forwarded array: the identity in both directions.
IndexingSet forwarded_identity(const OpQuery& q) {
  Leaves leaves;
  const auto from = forwarded(q.op, static_cast<std::uint32_t>(q.output), leaves);
  if (!from || from->operand != q.operand) return {};
  const HloType& operand = q.op.operand_type(q.operand);
  if (from->leaf >= operand.leaf_count() ||
      !std::ranges::equal(leaf_type(operand, from->leaf).dims(), q.out()))
    return bad_shape(q);
  Indexing same = identity_indexing(q.out());
  if (operand.is_tuple()) same.leaf = static_cast<std::int32_t>(from->leaf);
  return just(std::move(same));
}

namespace {

// Checks that the instruction has one operand and returns a value of its type.
Problem gives_operand_0(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  return reader.gives(reader.operand(0));
}

Problem check_add_dependency(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operand_is_token(1));
  return reader.gives(reader.operand(0));
}

struct TupleElementOp : OpValue {
  std::size_t element = 0;
};

Problem read_get_tuple_element(const OpReader& reader, TupleElementOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_READ(index, reader.integer("index"));
  const HloType& tuple = reader.operand(0);
  if (!tuple.is_tuple()) {
    return reader.wrong_operand(Code::shape_mismatch, 0,
                                fmt::format("get-tuple-element needs a tuple, not {}", short_text(tuple)),
                                "use the operand itself, or the tuple that contains it");
  }
  if (index < 0 || static_cast<std::uint64_t>(index) >= tuple.elements().size()) {
    return reader.wrong_attribute(
        Code::index_out_of_range, "index",
        fmt::format("index {} is outside a tuple of {}", index, plural(tuple.elements().size(), "element")));
  }
  op.element = as_size(index);
  const HloType& element = tuple.elements()[static_cast<std::size_t>(index)];
  if (reader.written_type() != nullptr && compatible(element, *reader.written_type())) return std::nullopt;
  return reader.gives(element);
}

std::optional<ForwardedLeaf> element_leaf(const Instruction& instruction, std::uint32_t leaf,
                                          Leaves& leaves) {
  const auto element = taken_element(instruction);
  if (!element) return std::nullopt;
  return ForwardedLeaf{0, leaves.offsets(instruction.operand_type(0))[*element] + leaf};
}

Problem check_tuple(const OpReader& reader) {
  const HloType* written = reader.written_type();
  if (written == nullptr) {
    std::vector<HloType> types;
    for (std::size_t i = 0; i < reader.operand_count(); ++i) types.push_back(reader.operand(i));
    return reader.gives(HloType::tuple(std::move(types)));
  }
  if (!written->is_tuple() || written->elements().size() != reader.operand_count()) {
    return reader.wrong_type(Code::shape_mismatch,
                             fmt::format("tuple has {}, but the written type is {}",
                                         plural(reader.operand_count(), "operand"), short_text(*written)));
  }
  for (std::size_t i = 0; i < reader.operand_count(); ++i) {
    if (compatible(reader.operand(i), written->elements()[i])) continue;
    return reader.wrong_operand(
        Code::shape_mismatch, i,
        fmt::format("operand {} is {}, but element {} of the type is {}", i, short_text(reader.operand(i)), i,
                    short_text(written->elements()[i])));
  }
  return std::nullopt;
}

std::optional<ForwardedLeaf> tuple_leaf(const Instruction& instruction, std::uint32_t leaf, Leaves& leaves) {
  if (!instruction.type.is_tuple()) return std::nullopt;
  const std::uint32_t element = leaves.element(instruction.type, leaf);
  if (element >= instruction.operands.size()) return std::nullopt;
  return ForwardedLeaf{element, leaf - leaves.offsets(instruction.type)[element]};
}

}  // namespace

std::optional<std::size_t> taken_element(const Instruction& get_tuple_element) {
  const auto op = value_of<TupleElementOp>(get_tuple_element);
  return op == nullptr ? std::nullopt : std::optional(op->element);
}

constinit const OpRule kForwardRule = forwarding_rule(check_only<gives_operand_0>, same_leaf);
constinit const OpRule kAddDependencyRule = forwarding_rule(check_only<check_add_dependency>, same_leaf);
constinit const OpRule kTupleRule = forwarding_rule(check_only<check_tuple>, tuple_leaf);
constinit const OpRule kGetTupleElementRule =
    forwarding_rule(read_into<TupleElementOp, read_get_tuple_element>, element_leaf);

}  // namespace tessera::detail
