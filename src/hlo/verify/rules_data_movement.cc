// SPDX-License-Identifier: Apache-2.0
// Operations that select, join or pad elements, and sizes of dynamic dimensions.
#include <fmt/core.h>

#include <algorithm>

#include "base/plural.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

std::vector<Index> copy(std::span<const Index> dims) { return {dims.begin(), dims.end()}; }

// Checks the runtime size of a dimension.
Problem size_is_s32(const Rule& rule, std::size_t i) {
  if (rule.dtype(i) == DType::s32) return std::nullopt;
  return rule.wrong_operand(Code::shape_mismatch, i,
                            fmt::format("operand {} of {}, a size, must be s32, but it is {}", i,
                                        rule.instruction().opcode_text, short_text(rule.operand(i))),
                            "convert the size to s32");
}

Problem check_reverse(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(dims, ints_of(rule.instruction(), "dimensions"));
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), dims, rule.dims(0).size()));
  return rule.gives(rule.dtype(0), copy(rule.dims(0)));
}

// The place of bracket `nth` of an attribute value.
Span bracket_span(const Attribute& attribute, std::size_t nth) {
  std::size_t open = attribute.value.find('[');
  while (nth-- > 0 && open != std::string_view::npos) open = attribute.value.find('[', open + 1);
  const std::size_t close = open == std::string_view::npos ? open : attribute.value.find(']', open);
  if (close == std::string_view::npos) return attribute.span;
  const auto begin = static_cast<std::uint32_t>(attribute.span.begin + open);
  return {begin, begin + static_cast<std::uint32_t>(close + 1 - open)};
}

Problem check_slice(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(ranges, slice_ranges_of(rule.instruction()));
  const auto from = rule.dims(0);
  if (ranges.size() != from.size()) {
    return rule.wrong_attribute(
        Code::rank_mismatch, "slice",
        fmt::format("'slice' has {}, but the operand has {}", plural(ranges.size(), "range"),
                    plural(from.size(), "dimension")));
  }
  std::vector<Index> dims;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const SliceRange& range = ranges[i];
    const auto wrong = [&](std::string message) {
      return rule.wrong(
          Code::bad_attribute, std::move(message), bracket_span(*rule.instruction().attribute("slice"), i),
          fmt::format("write [start:limit:stride] with 0 <= start <= limit <= {} and stride >= 1", from[i]));
    };
    if (range.stride < 1)
      return wrong(fmt::format("the stride of dimension {} is {}; it must be at least 1", i, range.stride));
    if (range.limit < range.start) {
      return wrong(
          fmt::format("range [{}:{}] of dimension {} ends before it starts", range.start, range.limit, i));
    }
    if (range.start < 0 || range.limit > from[i]) {
      return wrong(fmt::format("range [{}:{}] of dimension {} is not inside its extent {}", range.start,
                               range.limit, i, from[i]));
    }
    dims.push_back(ceil_div(range.limit - range.start, range.stride));
  }
  return rule.gives(rule.dtype(0), std::move(dims));
}

Problem check_concatenate(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(list, ints_of(rule.instruction(), "dimensions"));
  TESSERA_RULE(rule.one_dimension(list));
  std::vector<Index> dims = copy(rule.dims(0));
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), list, dims.size()));
  const auto axis = static_cast<std::size_t>(list[0]);
  for (std::size_t k = 1; k < rule.operand_count(); ++k) {
    const auto other = rule.dims(k);
    bool matches = other.size() == dims.size() && same_element_type(rule.dtype(k), rule.dtype(0));
    for (std::size_t i = 0; matches && i < dims.size(); ++i) matches = i == axis || other[i] == dims[i];
    if (!matches) {
      return rule.wrong_operand(
          Code::shape_mismatch, k,
          fmt::format("operand {} of concatenate is {}, which differs from operand 0, {}, outside "
                      "dimension {}",
                      k, short_text(rule.operand(k)), short_text(rule.operand(0)), axis));
    }
    if (add_overflows(dims[axis], other[axis], dims[axis])) {
      return rule.wrong(Code::overflow,
                        fmt::format("the sum of the extents of dimension {} does not fit in 64 bits", axis));
    }
  }
  return rule.gives(rule.dtype(0), std::move(dims));
}

Problem check_pad(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(rule.operand_is_scalar(1, "the padding value"));
  if (!same_element_type(rule.dtype(0), rule.dtype(1))) {
    return rule.wrong_operand(
        Code::shape_mismatch, 1,
        fmt::format("the padding value of pad has type {}, but operand 0 has elements of {}",
                    to_string(rule.dtype(1)), to_string(rule.dtype(0))));
  }
  TESSERA_READ(ranges, padding_of(rule.instruction()));
  const auto from = rule.dims(0);
  if (ranges.size() != from.size()) {
    return rule.wrong_attribute(Code::rank_mismatch, "padding",
                                fmt::format("'padding' has {}, but the operand has {}",
                                            plural(ranges.size(), "group"), plural(from.size(), "dimension")),
                                "one low_high[_interior] for each dimension, joined by 'x'");
  }
  std::vector<Index> dims;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const PadRange& range = ranges[i];
    if (range.interior < 0) {
      return rule.wrong_attribute(
          Code::bad_attribute, "padding",
          fmt::format("the interior padding of dimension {} is {}; it must not be negative", i,
                      range.interior));
    }
    Index inside = 0;
    Index extent = 0;
    if (mul_overflows(std::max<Index>(from[i] - 1, 0), range.interior, inside) ||
        add_overflows(from[i], inside, extent) || add_overflows(extent, range.low, extent) ||
        add_overflows(extent, range.high, extent)) {
      return rule.wrong_attribute(
          Code::overflow, "padding",
          fmt::format("the padded extent of dimension {} does not fit in 64 bits", i));
    }
    if (extent < 0) {
      return rule.wrong_attribute(
          Code::bad_attribute, "padding",
          fmt::format("the padding of dimension {} would leave an extent of {}", i, extent),
          "negative padding can remove at most as many elements as there are");
    }
    dims.push_back(extent);
  }
  return rule.gives(rule.dtype(0), std::move(dims));
}

Problem check_iota(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(0));
  TESSERA_RULE(rule.must_be_written());
  const HloType& type = rule.instruction().type;
  if (!type.is_array()) return rule.wrong_type(Code::shape_mismatch, "iota gives an array");
  if (type.array().dtype == DType::pred) {
    return rule.wrong_type(Code::shape_mismatch, "iota needs a numeric type, not pred");
  }
  TESSERA_READ(dim, int_of(rule.instruction(), "iota_dimension"));
  return rule.distinct_dims(rule.instruction().attribute("iota_dimension"), std::span(&dim, 1), type.rank());
}

Problem check_dimension_size(const Rule& rule) {
  const bool sets = rule.instruction().opcode == Opcode::set_dimension_size;
  TESSERA_RULE(rule.operand_count_is(sets ? 2 : 1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(list, ints_of(rule.instruction(), "dimensions"));
  TESSERA_RULE(rule.one_dimension(list));
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), list, rule.dims(0).size()));
  if (!sets) return rule.gives(DType::s32, {});
  TESSERA_RULE(rule.operand_is_scalar(1, "the size"));
  TESSERA_RULE(size_is_s32(rule, 1));
  TESSERA_RULE(rule.must_be_written());
  return rule.gives(rule.dtype(0), copy(rule.dims(0)));
}

}  // namespace

Problem check_data_movement(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::reverse:
      return check_reverse(rule);
    case Opcode::slice:
      return check_slice(rule);
    case Opcode::concatenate:
      return check_concatenate(rule);
    case Opcode::pad:
      return check_pad(rule);
    case Opcode::iota:
      return check_iota(rule);
    default:
      return check_dimension_size(rule);
  }
}

}  // namespace tessera::detail
