// SPDX-License-Identifier: Apache-2.0
// Random numbers.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

// Checks that a required attribute has one of these values.
Problem is_one_of(const Rule& rule, std::string_view key, std::initializer_list<std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  const Attribute* const attribute = rule.instruction().attribute(key);
  if (attribute == nullptr) {
    return rule.wrong(Code::missing_attribute,
                      fmt::format("{} needs the attribute '{}'", rule.instruction().opcode_text, key),
                      rule.instruction().opcode_span, fmt::format("write {}= and one of {}", key, list));
  }
  if (std::ranges::find(words, attribute->value) != words.end()) return std::nullopt;
  return rule.wrong_attribute(Code::bad_attribute, key,
                              fmt::format("{} '{}' is not one of {}", key, attribute->value, list));
}

// The operands are two scalars of the result's element type: bounds, or mean and deviation.
Problem check_rng(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2));
  TESSERA_RULE(rule.operand_is_scalar(0, "operand 0"));
  TESSERA_RULE(rule.operand_is_scalar(1, "operand 1"));
  TESSERA_RULE(is_one_of(rule, "distribution", {"rng_uniform", "rng_normal"}));
  if (!same_element_type(rule.dtype(0), rule.dtype(1))) {
    return rule.wrong_operand(Code::shape_mismatch, 1,
                              fmt::format("operands 0 and 1 of rng have different element types: {} and {}",
                                          to_string(rule.dtype(0)), to_string(rule.dtype(1))));
  }
  const DTypeClass kind = dtype_class(rule.dtype(0));
  const bool normal = rule.instruction().attribute("distribution")->value == "rng_normal";
  if (normal ? kind != DTypeClass::floating : kind == DTypeClass::complex || kind == DTypeClass::none) {
    return rule.wrong_operand(
        Code::shape_mismatch, 0,
        fmt::format("{} draws {}, but operand 0 is {}", normal ? "rng_normal" : "rng_uniform",
                    normal ? "floating-point numbers" : "real numbers", short_text(rule.operand(0))));
  }
  TESSERA_RULE(rule.must_be_written());
  const auto dims = rule.instruction().type.dims();
  return rule.gives(rule.dtype(0), {dims.begin(), dims.end()});
}

// (state, bits) or, without a new state, bits.
Problem check_rng_bit_generator(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(is_one_of(rule, "algorithm", {"rng_default", "rng_three_fry", "rng_philox"}));
  TESSERA_RULE(rule.must_be_written());
  const HloType& type = rule.instruction().type;
  if (!type.is_tuple()) return std::nullopt;
  if (type.elements().size() == 2 && compatible(type.elements()[0], rule.operand(0))) return std::nullopt;
  return rule.wrong_type(
      Code::shape_mismatch,
      fmt::format("rng-bit-generator of a state {} gives ({}, bits), but the written type is {}",
                  short_text(rule.operand(0)), short_text(rule.operand(0)), short_text(type)),
      "the new state has the type of the old one");
}

}  // namespace

Problem check_random(const Rule& rule) {
  return rule.instruction().opcode == Opcode::rng ? check_rng(rule) : check_rng_bit_generator(rule);
}

}  // namespace tessera::detail
