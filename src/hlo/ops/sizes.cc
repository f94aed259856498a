// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sizes of dynamic dimensions, and instructions that read no elements: constant, iota, parameter, ....
#include "hlo/ops/sizes.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "hlo/check/types.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

// The instruction reads the shape of its operand, but no elements.
IndexingSet no_elements(const OpQuery&) { return {}; }

constexpr OpRule without_elements(OpRead read) {
  return {.read = read,
          .output_to_input = no_elements,
          .input_to_output = no_elements,
          .kind = RuleKind::no_elements,
          .tuple_operands = true};
}

Problem check_nullary(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(0));
  return reader.must_be_written();
}

Problem check_device_number(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(0));
  return reader.gives(DType::u32, {});
}

Problem check_after_all(const OpReader& reader) {
  for (std::size_t i = 0; i < reader.operand_count(); ++i) TESSERA_RULE(reader.operand_is_token(i));
  return reader.gives(token_type());
}

struct IotaOp : OpValue {
  std::size_t dim = 0;
};

Problem read_iota(const OpReader& reader, IotaOp& op) {
  TESSERA_RULE(reader.operand_count_is(0));
  TESSERA_RULE(reader.must_be_written());
  const HloType& type = reader.instruction().type;
  if (!type.is_array()) return reader.wrong_type(Code::shape_mismatch, "iota gives an array");
  if (type.array().dtype == DType::pred) {
    return reader.wrong_type(Code::shape_mismatch, "iota needs a numeric type, not pred");
  }
  TESSERA_READ(dim, reader.integer("iota_dimension"));
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("iota_dimension"), std::span(&dim, 1),
                                    type.rank()));
  op.dim = as_size(dim);
  return std::nullopt;
}

Problem check_sized_dimension(const OpReader& reader) {
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(list, reader.ints("dimensions"));
  TESSERA_RULE(reader.one_dimension(list));
  return reader.distinct_dims(reader.instruction().attribute("dimensions"), list, reader.dims(0).size());
}

Problem check_get_dimension_size(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(check_sized_dimension(reader));
  return reader.gives(DType::s32, {});
}

// Checks the runtime size of a dimension.
Problem size_is_s32(const OpReader& reader, std::size_t i) {
  if (reader.dtype(i) == DType::s32) return std::nullopt;
  return reader.wrong_operand(Code::shape_mismatch, i,
                              fmt::format("operand {} of {}, a size, must be s32, but it is {}", i,
                                          reader.instruction().opcode_text, short_text(reader.operand(i))),
                              "convert the size to s32");
}

struct SetSizeOp : OpValue {
  std::size_t dim = 0;
};

Problem read_set_dimension_size(const OpReader& reader, SetSizeOp& op) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(check_sized_dimension(reader));
  TESSERA_READ(list, reader.ints("dimensions"));
  op.dim = as_size(list[0]);
  TESSERA_RULE(reader.operand_is_scalar(1, "the size"));
  TESSERA_RULE(size_is_s32(reader, 1));
  TESSERA_RULE(reader.must_be_written());
  return reader.gives(reader.dtype(0), reader.dims(0));
}

// set-dimension-size: the operand with another runtime size.
IndexingSet set_size_to_input(const OpQuery& q, const SetSizeOp&) {
  if (q.operand != 0) return just(scalar_indexing(q.out()));
  return std::ranges::equal(q.in(), q.out()) ? just(identity_indexing(q.out())) : bad_shape(q);
}
IndexingSet set_size_to_output(const OpQuery& q, const SetSizeOp& op) {
  return q.operand == 0 ? set_size_to_input(q, op) : just(whole_indexing(q.in(), q.out()));
}

// Either of the two sizes may be the smaller one.
bool resized(const OpQuery& q, bool, std::size_t dim) {
  const auto& op = static_cast<const SetSizeOp&>(*q.facts.value());
  const std::string_view before = op.operand_size(0, dim);
  return dim == op.dim && (before.empty() || before != op.result_size(dim));
}

}  // namespace

std::optional<std::size_t> counted_dimension(const Instruction& iota) {
  const auto op = value_of<IotaOp>(iota);
  return op == nullptr ? std::nullopt : std::optional(op->dim);
}

constinit const OpRule kNullaryRule = without_elements(check_only<check_nullary>);
constinit const OpRule kDeviceNumberRule = without_elements(check_only<check_device_number>);
constinit const OpRule kAfterAllRule = without_elements(check_only<check_after_all>);
constinit const OpRule kIotaRule = without_elements(read_into<IotaOp, read_iota>);
constinit const OpRule kGetDimensionSizeRule = without_elements(check_only<check_get_dimension_size>);
constinit const OpRule kSetDimensionSizeRule =
    family_rule<SetSizeOp, read_set_dimension_size, set_size_to_input, set_size_to_output>(
        {.changes_size = resized});

}  // namespace tessera::detail
