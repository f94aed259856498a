// SPDX-License-Identifier: Apache-2.0
// Output element i depends on element i of each operand.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "hlo/verify/reducer_rule.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

std::size_t arity(Opcode opcode) {
  switch (opcode) {
    case Opcode::clamp:
    case Opcode::select:
      return 3;
    case Opcode::add:
    case Opcode::and_:
    case Opcode::atan2:
    case Opcode::compare:
    case Opcode::complex:
    case Opcode::divide:
    case Opcode::maximum:
    case Opcode::minimum:
    case Opcode::mulhi:
    case Opcode::multiply:
    case Opcode::or_:
    case Opcode::power:
    case Opcode::remainder:
    case Opcode::shift_left:
    case Opcode::shift_right_arithmetic:
    case Opcode::shift_right_logical:
    case Opcode::stochastic_convert:
    case Opcode::subtract:
    case Opcode::xor_:
      return 2;
    default:
      return 1;
  }
}

// The predicate of select and the bounds of clamp may be scalars.
bool may_be_scalar(Opcode opcode, std::size_t operand) {
  return (opcode == Opcode::select && operand == 0) || (opcode == Opcode::clamp && operand != 1);
}

Problem check_compare(const Rule& rule) {
  const Attribute* direction = rule.instruction().attribute("direction");
  if (direction == nullptr) {
    return rule.wrong(Code::missing_attribute, "compare needs the attribute 'direction'",
                      rule.instruction().opcode_span, "write direction=EQ, NE, LT, LE, GT or GE");
  }
  static constexpr std::string_view kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  if (std::ranges::find(kDirections, direction->value) == std::end(kDirections)) {
    return rule.wrong_attribute(
        Code::bad_attribute, "direction",
        fmt::format("direction '{}' is not one of EQ, NE, LT, LE, GT, GE", direction->value));
  }
  static constexpr std::string_view kOrders[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  const Attribute* order = rule.instruction().attribute("type");
  if (order != nullptr && std::ranges::find(kOrders, order->value) == std::end(kOrders)) {
    return rule.wrong_attribute(
        Code::bad_attribute, "type",
        fmt::format("type '{}' is not one of FLOAT, TOTALORDER, SIGNED, UNSIGNED", order->value));
  }
  return std::nullopt;
}

// Checks the numbers of exponent and mantissa bits.
Problem check_reduce_precision(const Rule& rule) {
  for (const auto& [key, least] :
       {std::pair("exponent_bits", Index{1}), std::pair("mantissa_bits", Index{0})}) {
    TESSERA_READ(bits, int_of(rule.instruction(), key));
    if (bits >= least) continue;
    return rule.wrong_attribute(Code::bad_attribute, key,
                                fmt::format("{} is {}; it must be at least {}", key, bits, least));
  }
  return std::nullopt;
}

// Checks that `dimensions`, if given, lists every dimension in order.
Problem check_map(const Rule& rule, std::size_t rank) {
  TESSERA_READ(dims, ints_of(rule.instruction(), "dimensions", {}));
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), dims, rank));
  if (!dims.empty() && (dims.size() != rank || !std::ranges::is_sorted(dims))) {
    return rule.wrong_attribute(
        Code::bad_attribute, "dimensions",
        fmt::format("'dimensions' of a map must list all {} in order, from 0", plural(rank, "dimension")),
        "a map applies its function to every element: the attribute may be left out");
  }
  std::vector<std::size_t> operand_of(rule.operand_count());
  std::iota(operand_of.begin(), operand_of.end(), std::size_t{0});
  return check_parameters(rule, "to_apply", operand_of);
}

// The element types that an opcode requires, or null if elements of this kind are fine.
const char* wanted_elements(Opcode opcode, DTypeClass kind) {
  const bool integer = kind == DTypeClass::signed_integer || kind == DTypeClass::unsigned_integer;
  const bool real_or_complex = kind == DTypeClass::floating || kind == DTypeClass::complex;
  switch (opcode) {
    case Opcode::and_:
    case Opcode::not_:
    case Opcode::or_:
    case Opcode::xor_:
      return integer || kind == DTypeClass::boolean ? nullptr : "integers or pred";
    case Opcode::count_leading_zeros:
    case Opcode::popcnt:
    case Opcode::shift_left:
    case Opcode::shift_right_arithmetic:
    case Opcode::shift_right_logical:
      return integer ? nullptr : "integers";
    case Opcode::ceil:
    case Opcode::floor:
    case Opcode::is_finite:
    case Opcode::reduce_precision:
    case Opcode::round_nearest_afz:
    case Opcode::round_nearest_even:
      return kind == DTypeClass::floating ? nullptr : "floating-point numbers";
    case Opcode::cbrt:
    case Opcode::cosine:
    case Opcode::exponential:
    case Opcode::exponential_minus_one:
    case Opcode::log:
    case Opcode::log_plus_one:
    case Opcode::logistic:
    case Opcode::rsqrt:
    case Opcode::sine:
    case Opcode::sqrt:
    case Opcode::tan:
    case Opcode::tanh:
      return real_or_complex ? nullptr : "floating-point or complex numbers";
    default:
      return nullptr;
  }
}

Problem check_elements(const Rule& rule) {
  const char* const wanted = wanted_elements(rule.instruction().opcode, dtype_class(rule.dtype(0)));
  if (wanted == nullptr) return std::nullopt;
  return rule.wrong_operand(Code::shape_mismatch, 0,
                            fmt::format("{} takes {}, but operand 0 has elements of {}",
                                        rule.instruction().opcode_text, wanted, to_string(rule.dtype(0))));
}

// The element type of the result, if the operands determine it.
std::optional<DType> result_dtype(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::compare:
    case Opcode::is_finite:
      return DType::pred;
    case Opcode::convert:
    case Opcode::stochastic_convert:
    case Opcode::map:  // determined by its computation
      return std::nullopt;
    case Opcode::select:
    case Opcode::clamp:
      return rule.dtype(1);
    case Opcode::complex:
      return rule.dtype(0) == DType::f64 ? DType::c128 : DType::c64;
    case Opcode::real:
    case Opcode::imag:
    case Opcode::abs:
      if (rule.dtype(0) == DType::c128) return DType::f64;
      if (rule.dtype(0) == DType::c64) return DType::f32;
      return rule.dtype(0);
    default:
      return rule.dtype(0);
  }
}

}  // namespace

Problem check_elementwise(const Rule& rule) {
  const Instruction& instruction = rule.instruction();
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::map) {
    TESSERA_RULE(rule.operand_count_is(1, static_cast<std::size_t>(-1)));
  } else {
    TESSERA_RULE(rule.operand_count_is(arity(opcode)));
  }
  if (opcode == Opcode::copy && !rule.operand(0).is_array()) return rule.gives(rule.operand(0));
  TESSERA_RULE(rule.operands_are_arrays());
  const std::size_t main = opcode == Opcode::select || opcode == Opcode::clamp ? 1 : 0;
  const HloType& shape = rule.operand(main);
  for (std::size_t i = 0; i < rule.operand_count(); ++i) {
    const HloType& operand = rule.operand(i);
    const bool scalar = may_be_scalar(opcode, i) && operand.rank() == 0;
    if (!scalar && !std::ranges::equal(operand.dims(), shape.dims())) {
      return rule.wrong_operand(
          Code::shape_mismatch, i,
          fmt::format("operands {} and {} of {} have different dimensions: {} and {}", std::min(main, i),
                      std::max(main, i), instruction.opcode_text, dims_text(rule.dims(std::min(main, i))),
                      dims_text(rule.dims(std::max(main, i)))),
          "make the two agree: HLO does not broadcast implicitly");
    }
    const bool predicate = opcode == Opcode::select && i == 0;
    if (predicate && operand.array().dtype != DType::pred) {
      return rule.wrong_operand(Code::shape_mismatch, i,
                                fmt::format("operand 0 of select must have elements of pred, but it has {}",
                                            to_string(operand.array().dtype)),
                                "compare gives pred: compare(x, zero), direction=NE");
    }
    if (!predicate && opcode != Opcode::map && opcode != Opcode::stochastic_convert &&
        !same_element_type(operand.array().dtype, shape.array().dtype)) {
      return rule.wrong_operand(
          Code::shape_mismatch, i,
          fmt::format("operands {} and {} of {} have different element types: {} and {}", std::min(main, i),
                      std::max(main, i), instruction.opcode_text, to_string(rule.dtype(std::min(main, i))),
                      to_string(rule.dtype(std::max(main, i)))));
    }
  }
  if (opcode == Opcode::compare) TESSERA_RULE(check_compare(rule));
  if (opcode == Opcode::reduce_precision) TESSERA_RULE(check_reduce_precision(rule));
  if (opcode == Opcode::map) TESSERA_RULE(check_map(rule, shape.rank()));
  TESSERA_RULE(check_elements(rule));
  std::vector<Index> dims(shape.dims().begin(), shape.dims().end());
  if (const auto dtype = result_dtype(rule)) return rule.gives(*dtype, std::move(dims));
  return rule.gives_dims(std::move(dims));
}

}  // namespace tessera::detail
