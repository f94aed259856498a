// SPDX-License-Identifier: Apache-2.0
// Operations that give the elements of an array another shape.
#include <fmt/core.h>

#include <algorithm>

#include "base/plural.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

std::vector<Index> copy_of(std::span<const Index> dims) { return {dims.begin(), dims.end()}; }

Problem check_broadcast(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(rule.must_be_written());
  const auto from = rule.dims(0);
  const Attribute* attribute = rule.instruction().attribute("dimensions");
  if (attribute == nullptr && !from.empty()) {
    return rule.wrong(
        Code::missing_attribute,
        fmt::format("broadcast of {} needs the attribute 'dimensions'", short_text(rule.operand(0))),
        rule.instruction().opcode_span,
        "dimensions={...} names the result dimension of each operand dimension");
  }
  TESSERA_READ(dims, ints_of(rule.instruction(), "dimensions", {}));
  TESSERA_RULE(rule.gives(rule.dtype(0), copy_of(rule.instruction().type.dims())));
  const auto to = rule.instruction().type.dims();
  if (dims.size() != from.size()) {
    return rule.wrong_attribute(Code::rank_mismatch, "dimensions",
                                fmt::format("'dimensions' names {}, but the operand has {}",
                                            plural(dims.size(), "dimension"), from.size()));
  }
  TESSERA_RULE(rule.distinct_dims(attribute, dims, to.size()));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Index target = to[static_cast<std::size_t>(dims[i])];
    if (target == from[i]) continue;
    return rule.wrong_attribute(
        Code::shape_mismatch, "dimensions",
        fmt::format("operand dimension {} has extent {}, but result dimension {} has {}", i, from[i], dims[i],
                    target),
        from[i] == 1 ? "reshape the operand to drop the dimension of extent 1 first" : "");
  }
  return std::nullopt;
}

// Checks a size for which XLA accepts any integer type.
Problem size_is_integer(const Rule& rule, std::size_t i) {
  const DTypeClass kind = dtype_class(rule.dtype(i));
  if (kind == DTypeClass::signed_integer || kind == DTypeClass::unsigned_integer) return std::nullopt;
  return rule.wrong_operand(Code::shape_mismatch, i,
                            fmt::format("operand {} of {}, a size, must be an integer, but it is {}", i,
                                        rule.instruction().opcode_text, short_text(rule.operand(i))),
                            "convert the size to s32");
}

Problem check_reshape(const Rule& rule) {
  const bool dynamic = rule.instruction().opcode == Opcode::dynamic_reshape;
  if (dynamic) {
    TESSERA_RULE(rule.operand_count_is(1, static_cast<std::size_t>(-1)));
  } else {
    TESSERA_RULE(rule.operand_count_is(1));
  }
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(rule.must_be_written());
  TESSERA_RULE(rule.gives(rule.dtype(0), copy_of(rule.instruction().type.dims())));
  if (dynamic) {
    const std::size_t rank = rule.instruction().type.rank();
    if (rule.operand_count() != rank + 1) {
      return rule.wrong(Code::operand_count,
                        fmt::format("dynamic-reshape to an array with {} needs as many sizes, not {}",
                                    plural(rank, "dimension"), rule.operand_count() - 1),
                        rule.instruction().opcode_span,
                        "one size for each result dimension follows the array");
    }
    for (std::size_t i = 1; i <= rank; ++i) {
      TESSERA_RULE(rule.operand_is_scalar(i, "a size"));
      TESSERA_RULE(size_is_integer(rule, i));
    }
  }
  const auto from = rule.operand(0).array().element_count();
  const auto to = rule.instruction().type.array().element_count();
  if (from == to) return std::nullopt;
  return rule.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} of {} {} to {} {}", rule.instruction().opcode_text,
                  plural(from.value_or(-1), "element"), dims_text(rule.dims(0)),
                  plural(to.value_or(-1), "element"), dims_text(rule.instruction().type.dims())),
      "a reshape keeps the number of elements");
}

Problem check_bitcast(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.must_be_written());
  const HloType& from = rule.operand(0);
  const HloType& to = rule.instruction().type;
  if (!from.is_array() || !to.is_array()) return std::nullopt;  // tuples and tokens: no elements to compare
  const auto padded = [](const TensorType& type) { return type.layout && !type.layout->is_plain(); };
  if (padded(from.array()) || padded(to.array()))
    return std::nullopt;  // padding may account for the difference
  Index from_bits = 0;
  Index to_bits = 0;
  if (mul_overflows(*from.array().element_count(), bit_width(from.array().dtype), from_bits) ||
      mul_overflows(*to.array().element_count(), bit_width(to.array().dtype), to_bits) ||
      from_bits == to_bits) {
    return std::nullopt;
  }
  return rule.wrong_type(Code::shape_mismatch,
                         fmt::format("bitcast changes the size: from {} ({}) to {} ({})", short_text(from),
                                     plural(from_bits, "bit"), short_text(to), plural(to_bits, "bit")),
                         "a bitcast keeps the bytes");
}

Problem check_bitcast_convert(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(rule.must_be_written());
  const HloType& to = rule.instruction().type;
  if (!to.is_array()) return rule.gives_dims(copy_of(rule.dims(0)));
  const int from_bits = bit_width(rule.dtype(0));
  const int to_bits = bit_width(to.array().dtype);
  std::vector<Index> dims = copy_of(rule.dims(0));
  if (to_bits < from_bits && from_bits % to_bits == 0) {
    dims.push_back(from_bits / to_bits);
  } else if (to_bits > from_bits && to_bits % from_bits == 0) {
    if (dims.empty() || dims.back() != to_bits / from_bits) {
      return rule.wrong_operand(
          Code::shape_mismatch, 0,
          fmt::format("{} elements of {} become one of {}, but the last extent of {} is not {}",
                      to_bits / from_bits, to_string(rule.dtype(0)), to_string(to.array().dtype),
                      dims_text(rule.dims(0)), to_bits / from_bits));
    }
    dims.pop_back();
  } else if (to_bits != from_bits) {
    return rule.wrong_type(Code::shape_mismatch,
                           fmt::format("elements of {} cannot be converted to elements of {}",
                                       plural(from_bits, "bit"), plural(to_bits, "bit")));
  }
  return rule.gives_dims(std::move(dims));
}

Problem check_transpose(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(permutation, ints_of(rule.instruction(), "dimensions"));
  const auto from = rule.dims(0);
  if (permutation.size() != from.size()) {
    return rule.wrong_attribute(
        Code::rank_mismatch, "dimensions",
        fmt::format("'dimensions' lists {}, but the operand has {}", plural(permutation.size(), "dimension"),
                    from.size()),
        "list every operand dimension once: result dimension i is operand dimension dimensions[i]");
  }
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), permutation, from.size()));
  std::vector<Index> dims;
  for (const Index p : permutation) dims.push_back(from[static_cast<std::size_t>(p)]);
  return rule.gives(rule.dtype(0), std::move(dims));
}

}  // namespace

Problem check_shape(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::broadcast:
      return check_broadcast(rule);
    case Opcode::reshape:
    case Opcode::dynamic_reshape:
      return check_reshape(rule);
    case Opcode::bitcast:
      return check_bitcast(rule);
    case Opcode::bitcast_convert:
      return check_bitcast_convert(rule);
    default:
      return check_transpose(rule);
  }
}

}  // namespace tessera::detail
