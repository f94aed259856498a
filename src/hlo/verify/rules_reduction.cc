// SPDX-License-Identifier: Apache-2.0
// Operations that combine many elements by a computation: reduce, reduce-window, select-and-scatter, sort,
// topk, scan.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/verify/reducer_rule.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"
#include "hlo/verify/window_rule.h"

namespace tessera::detail {
namespace {

// Checks n inputs with the same dimensions, then n scalars.
Problem check_inputs_and_inits(const Rule& rule) {
  const std::size_t count = rule.operand_count();
  if (count == 0 || count % 2 != 0) {
    return rule.wrong(Code::operand_count,
                      fmt::format("{} needs as many initial values as inputs, but it has {} in all",
                                  rule.instruction().opcode_text, plural(count, "operand")),
                      rule.instruction().opcode_span,
                      fmt::format("the form is {0}(a, init), or {0}(a, b, init_a, init_b)",
                                  rule.instruction().opcode_text));
  }
  TESSERA_RULE(rule.operands_are_arrays());
  const std::size_t inputs = count / 2;
  for (std::size_t i = 1; i < inputs; ++i)
    TESSERA_RULE(rule.operand_dims_are(i, rule.dims(0), "operand 0 has"));
  for (std::size_t i = 0; i < inputs; ++i) {
    TESSERA_RULE(rule.operand_is_scalar(inputs + i, fmt::format("initial value {}", i)));
    if (!same_element_type(rule.dtype(i), rule.dtype(inputs + i))) {
      return rule.wrong_operand(
          Code::shape_mismatch, inputs + i,
          fmt::format("initial value {} has elements of {}, but its input has elements of {}", i,
                      to_string(rule.dtype(inputs + i)), to_string(rule.dtype(i))));
    }
  }
  return std::nullopt;
}

// The type is an array with these dimensions for each input, in a tuple if there are several.
Problem gives_for_each_input(const Rule& rule, std::size_t inputs, const std::vector<Index>& dims) {
  if (inputs == 1) return rule.gives(rule.dtype(0), dims);
  std::vector<HloType> types;
  for (std::size_t i = 0; i < inputs; ++i)
    types.emplace_back(TensorType{.dtype = rule.dtype(i), .dims = dims});
  return rule.gives(HloType::tuple(std::move(types)));
}

Problem check_reduce(const Rule& rule) {
  TESSERA_RULE(check_inputs_and_inits(rule));
  TESSERA_READ(list, ints_of(rule.instruction(), "dimensions"));
  const auto from = rule.dims(0);
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), list, from.size()));
  TESSERA_RULE(check_reducer(rule, "to_apply", rule.operand_count() / 2));
  std::vector<bool> reduced(from.size());
  for (const Index dim : list) reduced[static_cast<std::size_t>(dim)] = true;
  std::vector<Index> dims;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!reduced[i]) dims.push_back(from[i]);
  }
  return gives_for_each_input(rule, rule.operand_count() / 2, dims);
}

Problem check_reduce_window(const Rule& rule) {
  TESSERA_RULE(check_inputs_and_inits(rule));
  TESSERA_READ(window, window_of(rule.instruction()));
  std::vector<Index> dims;
  TESSERA_RULE(windowed_dims(rule, window, rule.dims(0), dims));
  TESSERA_RULE(check_reducer(rule, "to_apply", rule.operand_count() / 2));
  return gives_for_each_input(rule, rule.operand_count() / 2, dims);
}

Problem check_select_and_scatter(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(3));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(rule.operand_is_scalar(2, "the initial value"));
  TESSERA_READ(window, window_of(rule.instruction()));
  std::vector<Index> dims;
  TESSERA_RULE(windowed_dims(rule, window, rule.dims(0), dims));
  TESSERA_RULE(rule.operand_dims_are(1, dims, "the windows over operand 0 give"));
  for (std::size_t i = 1; i < 3; ++i) {
    if (same_element_type(rule.dtype(i), rule.dtype(0))) continue;
    return rule.wrong_operand(Code::shape_mismatch, i,
                              fmt::format("{} has elements of {}, but the operand has elements of {}",
                                          i == 1 ? "the source" : "the initial value",
                                          to_string(rule.dtype(i)), to_string(rule.dtype(0))));
  }
  TESSERA_RULE(check_predicate(rule, "select", 1));
  TESSERA_RULE(check_reducer(rule, "scatter", 1));
  return rule.gives(rule.dtype(0), {rule.dims(0).begin(), rule.dims(0).end()});
}

Problem check_sort(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(list, ints_of(rule.instruction(), "dimensions"));
  TESSERA_RULE(rule.one_dimension(list));
  for (std::size_t i = 1; i < rule.operand_count(); ++i) {
    TESSERA_RULE(rule.operand_dims_are(i, rule.dims(0), "operand 0 has"));
  }
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), list, rule.dims(0).size()));
  TESSERA_RULE(check_predicate(rule, "to_apply", rule.operand_count()));
  return gives_for_each_input(rule, rule.operand_count(), {rule.dims(0).begin(), rule.dims(0).end()});
}

Problem check_topk(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(k, int_of(rule.instruction(), "k"));
  std::vector<Index> dims(rule.dims(0).begin(), rule.dims(0).end());
  if (dims.empty())
    return rule.wrong_operand(Code::rank_mismatch, 0,
                              "topk needs an array with a last dimension, not a scalar");
  if (k < 0 || k > dims.back()) {
    return rule.wrong_attribute(Code::bad_attribute, "k",
                                fmt::format("k is {}, but the last dimension has extent {}", k, dims.back()));
  }
  dims.back() = k;
  std::vector<HloType> types;
  types.emplace_back(TensorType{.dtype = rule.dtype(0), .dims = dims});
  types.emplace_back(TensorType{.dtype = DType::s32, .dims = dims});
  return rule.gives(HloType::tuple(std::move(types)));
}

// The operands are inputs, then initial carries; the results are outputs, then final carries.
Problem check_scan(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(list, ints_of(rule.instruction(), "dimensions"));
  TESSERA_READ(carries, int_of(rule.instruction(), "num_carries"));
  if (carries < 0 || carries > static_cast<Index>(rule.operand_count())) {
    return rule.wrong_attribute(Code::bad_attribute, "num_carries",
                                fmt::format("'num_carries' is {}, but scan has {}", carries,
                                            plural(rule.operand_count(), "operand")));
  }
  const std::size_t inputs = rule.operand_count() - static_cast<std::size_t>(carries);
  TESSERA_RULE(rule.one_dimension(list));
  for (std::size_t i = 0; i < inputs; ++i) {
    TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), list, rule.dims(i).size()));
  }
  TESSERA_RULE(check_step(rule, "to_apply"));
  return rule.must_be_written();
}

}  // namespace

Problem check_reduction(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::reduce:
      return check_reduce(rule);
    case Opcode::reduce_window:
      return check_reduce_window(rule);
    case Opcode::select_and_scatter:
      return check_select_and_scatter(rule);
    case Opcode::sort:
      return check_sort(rule);
    case Opcode::topk:
      return check_topk(rule);
    default:
      return check_scan(rule);
  }
}

}  // namespace tessera::detail
