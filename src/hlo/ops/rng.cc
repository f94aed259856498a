// SPDX-License-Identifier: Apache-2.0
/// \file
/// rng and rng-bit-generator: result elements do not correspond to operand elements.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/types.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

// Checks that a required attribute has one of these values.
Problem is_one_of(const OpReader& reader, std::string_view key,
                  std::initializer_list<std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  const Attribute* const attribute = reader.instruction().attribute(key);
  if (attribute == nullptr) {
    return reader.wrong(Code::missing_attribute,
                        fmt::format("{} needs the attribute '{}'", reader.instruction().opcode_text, key),
                        reader.instruction().opcode_span, fmt::format("write {}= and one of {}", key, list));
  }
  if (std::ranges::find(words, attribute->value) != words.end()) return std::nullopt;
  return reader.wrong_attribute(Code::bad_attribute, key,
                                fmt::format("{} '{}' is not one of {}", key, attribute->value, list));
}

// The operands are two scalars of the result's element type: bounds, or mean and deviation.
Problem check_rng(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operand_is_scalar(0, "operand 0"));
  TESSERA_RULE(reader.operand_is_scalar(1, "operand 1"));
  TESSERA_RULE(is_one_of(reader, "distribution", {"rng_uniform", "rng_normal"}));
  if (!same_element_type(reader.dtype(0), reader.dtype(1))) {
    return reader.wrong_operand(Code::shape_mismatch, 1,
                                fmt::format("operands 0 and 1 of rng have different element types: {} and {}",
                                            to_string(reader.dtype(0)), to_string(reader.dtype(1))));
  }
  const DTypeClass kind = dtype_class(reader.dtype(0));
  const bool normal = reader.instruction().attribute("distribution")->value == "rng_normal";
  if (normal ? kind != DTypeClass::floating : kind == DTypeClass::complex || kind == DTypeClass::none) {
    return reader.wrong_operand(
        Code::shape_mismatch, 0,
        fmt::format("{} draws {}, but operand 0 is {}", normal ? "rng_normal" : "rng_uniform",
                    normal ? "floating-point numbers" : "real numbers", short_text(reader.operand(0))));
  }
  TESSERA_RULE(reader.must_be_written());
  const auto dims = reader.instruction().type.dims();
  return reader.gives(reader.dtype(0), {dims.begin(), dims.end()});
}

// (state, bits) or, without a new state, bits.
Problem check_rng_bit_generator(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(is_one_of(reader, "algorithm", {"rng_default", "rng_three_fry", "rng_philox"}));
  TESSERA_RULE(reader.must_be_written());
  const HloType& type = reader.instruction().type;
  if (!type.is_tuple()) return std::nullopt;
  if (type.elements().size() == 2 && compatible(type.elements()[0], reader.operand(0))) return std::nullopt;
  return reader.wrong_type(
      Code::shape_mismatch,
      fmt::format("rng-bit-generator of a state {} gives ({}, bits), but the written type is {}",
                  short_text(reader.operand(0)), short_text(reader.operand(0)), short_text(type)),
      "the new state has the type of the old one");
}

constexpr const char* kParameters =
    "the generator decides which of the distribution's parameters a value depends on";
constexpr const char* kState = "every random value may depend on the whole state";

IndexingSet rng_to_input(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.out(), q.in()), kParameters));
}
IndexingSet rng_to_output(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.in(), q.out()), kParameters));
}
IndexingSet bits_to_input(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.out(), q.in()), kState));
}
IndexingSet bits_to_output(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.in(), q.out()), kState));
}

}  // namespace

constinit const OpRule kRngRule{
    .read = check_only<check_rng>, .output_to_input = rng_to_input, .input_to_output = rng_to_output};
constinit const OpRule kRngBitGeneratorRule{.read = check_only<check_rng_bit_generator>,
                                            .output_to_input = bits_to_input,
                                            .input_to_output = bits_to_output};

}  // namespace tessera::detail
