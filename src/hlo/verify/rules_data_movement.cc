// SPDX-License-Identifier: Apache-2.0
// Operations that only move elements.
#include <fmt/core.h>

#include <algorithm>

#include "base/plural.h"
#include "hlo/verify/rule.h"
#include "hlo/verify/verify.h"

namespace tessera::detail {
namespace {

std::vector<Index> copy(std::span<const Index> dims) { return {dims.begin(), dims.end()}; }

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
  TESSERA_RULE(rule.gives(rule.dtype(0), copy(rule.instruction().type.dims())));
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

// Checks the runtime size of a dimension.
Problem size_is_s32(const Rule& rule, std::size_t i) {
  if (rule.dtype(i) == DType::s32) return std::nullopt;
  return rule.wrong_operand(Code::shape_mismatch, i,
                            fmt::format("operand {} of {}, a size, must be s32, but it is {}", i,
                                        rule.instruction().opcode_text, short_text(rule.operand(i))),
                            "convert the size to s32");
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
  TESSERA_RULE(rule.gives(rule.dtype(0), copy(rule.instruction().type.dims())));
  if (dynamic) {
    const std::size_t rank = rule.instruction().type.rank();
    if (rule.operand_count() != rank + 1) {
      return rule.wrong(Code::operand_count,
                        fmt::format("dynamic-reshape to an array with {} needs as many sizes, got {}",
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
                         fmt::format("bitcast of {} ({}) to {} ({})", short_text(from),
                                     plural(from_bits, "bit"), short_text(to), plural(to_bits, "bit")),
                         "a bitcast keeps the bytes");
}

Problem check_bitcast_convert(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(rule.must_be_written());
  const HloType& to = rule.instruction().type;
  if (!to.is_array()) return rule.gives_dims(copy(rule.dims(0)));
  const int from_bits = bit_width(rule.dtype(0));
  const int to_bits = bit_width(to.array().dtype);
  std::vector<Index> dims = copy(rule.dims(0));
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
  if (list.size() != 1) {
    return rule.wrong_attribute(Code::bad_attribute, "dimensions",
                                fmt::format("concatenate takes one dimension, got {}", list.size()));
  }
  std::vector<Index> dims = copy(rule.dims(0));
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), list, dims.size()));
  const auto axis = static_cast<std::size_t>(list[0]);
  for (std::size_t k = 1; k < rule.operand_count(); ++k) {
    const auto other = rule.dims(k);
    bool fits = other.size() == dims.size() && same_element_type(rule.dtype(k), rule.dtype(0));
    for (std::size_t i = 0; fits && i < dims.size(); ++i) fits = i == axis || other[i] == dims[i];
    if (!fits) {
      return rule.wrong_operand(
          Code::shape_mismatch, k,
          fmt::format("operand {} of concatenate is {}, which differs from operand 0, {}, off "
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
        fmt::format("the padding value of pad is of {}, but operand 0 has elements of {}",
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
          "negative padding removes elements, at most as many as there are");
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
    return rule.wrong_type(Code::shape_mismatch, "iota needs a numeric type, got pred");
  }
  TESSERA_READ(dim, int_of(rule.instruction(), "iota_dimension"));
  return rule.distinct_dims(rule.instruction().attribute("iota_dimension"), std::span(&dim, 1), type.rank());
}

Problem check_dimension_size(const Rule& rule) {
  const bool sets = rule.instruction().opcode == Opcode::set_dimension_size;
  TESSERA_RULE(rule.operand_count_is(sets ? 2 : 1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(list, ints_of(rule.instruction(), "dimensions"));
  if (list.size() != 1) {
    return rule.wrong_attribute(
        Code::bad_attribute, "dimensions",
        fmt::format("{} takes one dimension, got {}", rule.instruction().opcode_text, list.size()));
  }
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
    case Opcode::broadcast:
      return check_broadcast(rule);
    case Opcode::reshape:
    case Opcode::dynamic_reshape:
      return check_reshape(rule);
    case Opcode::bitcast:
      return check_bitcast(rule);
    case Opcode::bitcast_convert:
      return check_bitcast_convert(rule);
    case Opcode::transpose:
      return check_transpose(rule);
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
