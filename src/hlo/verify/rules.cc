// SPDX-License-Identifier: Apache-2.0
// Dispatch from opcodes to rules, and the rules that are too short for a file of their own.
#include "hlo/verify/rules.h"

#include <fmt/core.h>

#include <algorithm>

#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

Problem check_get_tuple_element(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_READ(index, int_of(rule.instruction(), "index"));
  const HloType& tuple = rule.operand(0);
  if (!tuple.is_tuple()) {
    return rule.wrong_operand(Code::shape_mismatch, 0,
                              fmt::format("get-tuple-element needs a tuple, not {}", short_text(tuple)),
                              "use the operand itself, or the tuple that contains it");
  }
  if (index < 0 || static_cast<std::uint64_t>(index) >= tuple.elements().size()) {
    return rule.wrong_attribute(
        Code::index_out_of_range, "index",
        fmt::format("index {} is outside a tuple of {}", index, plural(tuple.elements().size(), "element")));
  }
  const HloType& element = tuple.elements()[static_cast<std::size_t>(index)];
  if (rule.written_type() != nullptr && compatible(element, *rule.written_type())) return std::nullopt;
  return rule.gives(element);
}

Problem check_tuple(const Rule& rule) {
  const HloType* written = rule.written_type();
  if (written == nullptr) {
    std::vector<HloType> types;
    for (std::size_t i = 0; i < rule.operand_count(); ++i) types.push_back(rule.operand(i));
    return rule.gives(HloType::tuple(std::move(types)));
  }
  if (!written->is_tuple() || written->elements().size() != rule.operand_count()) {
    return rule.wrong_type(Code::shape_mismatch,
                           fmt::format("tuple has {}, but the written type is {}",
                                       plural(rule.operand_count(), "operand"), short_text(*written)));
  }
  for (std::size_t i = 0; i < rule.operand_count(); ++i) {
    if (compatible(rule.operand(i), written->elements()[i])) continue;
    return rule.wrong_operand(
        Code::shape_mismatch, i,
        fmt::format("operand {} is {}, but element {} of the type is {}", i, short_text(rule.operand(i)), i,
                    short_text(written->elements()[i])));
  }
  return std::nullopt;
}

// Checks that the instruction has one operand and returns a value of its type.
Problem gives_operand_0(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  return rule.gives(rule.operand(0));
}

Problem check_without_operands(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(0));
  return rule.must_be_written();
}

}  // namespace

Problem check_instruction(const Rule& rule) {
  const Opcode opcode = rule.instruction().opcode;
  if (is_elementwise(opcode)) return check_elementwise(rule);
  switch (opcode) {
    case Opcode::get_tuple_element:
      return check_get_tuple_element(rule);
    case Opcode::tuple:
      return check_tuple(rule);
    case Opcode::broadcast:
    case Opcode::reshape:
    case Opcode::dynamic_reshape:
    case Opcode::bitcast:
    case Opcode::bitcast_convert:
    case Opcode::transpose:
      return check_shape(rule);
    case Opcode::reverse:
    case Opcode::slice:
    case Opcode::concatenate:
    case Opcode::pad:
    case Opcode::iota:
    case Opcode::get_dimension_size:
    case Opcode::set_dimension_size:
      return check_data_movement(rule);
    case Opcode::dynamic_slice:
    case Opcode::dynamic_update_slice:
      return check_dynamic(rule);
    case Opcode::reduce:
    case Opcode::reduce_window:
    case Opcode::select_and_scatter:
    case Opcode::sort:
    case Opcode::topk:
    case Opcode::scan:
      return check_reduction(rule);
    case Opcode::dot:
    case Opcode::scaled_dot:
    case Opcode::ragged_dot:
    case Opcode::convolution:
      return check_contraction(rule);
    case Opcode::gather:
    case Opcode::scatter:
      return check_gather_scatter(rule);
    case Opcode::fft:
    case Opcode::cholesky:
    case Opcode::triangular_solve:
    case Opcode::batch_norm_grad:
    case Opcode::batch_norm_inference:
    case Opcode::batch_norm_training:
      return check_linear_algebra(rule);
    case Opcode::async_start:
    case Opcode::call:
    case Opcode::fusion:
    case Opcode::while_:
    case Opcode::conditional:
    case Opcode::custom_call:
      return check_calls(rule);
    case Opcode::all_gather:
    case Opcode::all_reduce:
    case Opcode::all_reduce_start:
    case Opcode::all_to_all:
    case Opcode::collective_broadcast:
    case Opcode::collective_permute:
    case Opcode::reduce_scatter:
    case Opcode::ragged_all_to_all:
      return check_collective(rule);
    case Opcode::opt_barrier:
    case Opcode::domain:
      return gives_operand_0(rule);
    case Opcode::add_dependency:
    case Opcode::after_all:
    case Opcode::infeed:
    case Opcode::outfeed:
    case Opcode::recv:
    case Opcode::recv_done:
    case Opcode::send:
    case Opcode::send_done:
      return check_transfer(rule);
    case Opcode::all_gather_done:
    case Opcode::all_gather_start:
    case Opcode::all_reduce_done:
    case Opcode::async_done:
    case Opcode::async_update:
    case Opcode::collective_permute_done:
    case Opcode::collective_permute_start:
    case Opcode::copy_done:
    case Opcode::copy_start:
      return check_asynchronous(rule);
    case Opcode::rng:
    case Opcode::rng_bit_generator:
      return check_random(rule);
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::rng_get_and_update_state:
      return check_without_operands(rule);
    case Opcode::partition_id:
    case Opcode::replica_id:
      TESSERA_RULE(rule.operand_count_is(0));
      return rule.gives(DType::u32, {});
    default:
      // Unknown opcodes keep the written type.
      return rule.must_be_written();
  }
}

}  // namespace tessera::detail
