// SPDX-License-Identifier: Apache-2.0
/// \file
/// The opcodes of HLO.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Every opcode: X(identifier, text). C++ keywords have a trailing underscore.
#define TESSERA_OPCODES(X)                                \
  X(abs, "abs")                                           \
  X(acos, "acos")                                         \
  X(acosh, "acosh")                                       \
  X(add, "add")                                           \
  X(add_dependency, "add-dependency")                     \
  X(after_all, "after-all")                               \
  X(all_gather, "all-gather")                             \
  X(all_gather_done, "all-gather-done")                   \
  X(all_gather_start, "all-gather-start")                 \
  X(all_reduce, "all-reduce")                             \
  X(all_reduce_done, "all-reduce-done")                   \
  X(all_reduce_start, "all-reduce-start")                 \
  X(all_to_all, "all-to-all")                             \
  X(and_, "and")                                          \
  X(asin, "asin")                                         \
  X(asinh, "asinh")                                       \
  X(async_done, "async-done")                             \
  X(async_start, "async-start")                           \
  X(async_update, "async-update")                         \
  X(atan2, "atan2")                                       \
  X(atanh, "atanh")                                       \
  X(batch_norm_grad, "batch-norm-grad")                   \
  X(batch_norm_inference, "batch-norm-inference")         \
  X(batch_norm_training, "batch-norm-training")           \
  X(bitcast, "bitcast")                                   \
  X(bitcast_convert, "bitcast-convert")                   \
  X(broadcast, "broadcast")                               \
  X(call, "call")                                         \
  X(cbrt, "cbrt")                                         \
  X(ceil, "ceil")                                         \
  X(cholesky, "cholesky")                                 \
  X(clamp, "clamp")                                       \
  X(count_leading_zeros, "count-leading-zeros")           \
  X(collective_broadcast, "collective-broadcast")         \
  X(collective_permute, "collective-permute")             \
  X(collective_permute_done, "collective-permute-done")   \
  X(collective_permute_start, "collective-permute-start") \
  X(compare, "compare")                                   \
  X(complex, "complex")                                   \
  X(concatenate, "concatenate")                           \
  X(conditional, "conditional")                           \
  X(constant, "constant")                                 \
  X(convert, "convert")                                   \
  X(convolution, "convolution")                           \
  X(copy, "copy")                                         \
  X(copy_done, "copy-done")                               \
  X(copy_start, "copy-start")                             \
  X(cosine, "cosine")                                     \
  X(cosh, "cosh")                                         \
  X(custom_call, "custom-call")                           \
  X(divide, "divide")                                     \
  X(domain, "domain")                                     \
  X(dot, "dot")                                           \
  X(dynamic_reshape, "dynamic-reshape")                   \
  X(dynamic_slice, "dynamic-slice")                       \
  X(dynamic_update_slice, "dynamic-update-slice")         \
  X(erf, "erf")                                           \
  X(exponential, "exponential")                           \
  X(exponential_minus_one, "exponential-minus-one")       \
  X(fft, "fft")                                           \
  X(floor, "floor")                                       \
  X(fusion, "fusion")                                     \
  X(gather, "gather")                                     \
  X(get_dimension_size, "get-dimension-size")             \
  X(get_tuple_element, "get-tuple-element")               \
  X(imag, "imag")                                         \
  X(infeed, "infeed")                                     \
  X(iota, "iota")                                         \
  X(is_finite, "is-finite")                               \
  X(log, "log")                                           \
  X(log_plus_one, "log-plus-one")                         \
  X(logistic, "logistic")                                 \
  X(map, "map")                                           \
  X(maximum, "maximum")                                   \
  X(minimum, "minimum")                                   \
  X(mulhi, "mulhi")                                       \
  X(multiply, "multiply")                                 \
  X(negate, "negate")                                     \
  X(not_, "not")                                          \
  X(opt_barrier, "opt-barrier")                           \
  X(or_, "or")                                            \
  X(outfeed, "outfeed")                                   \
  X(pad, "pad")                                           \
  X(parameter, "parameter")                               \
  X(partition_id, "partition-id")                         \
  X(popcnt, "popcnt")                                     \
  X(power, "power")                                       \
  X(ragged_all_to_all, "ragged-all-to-all")               \
  X(ragged_dot, "ragged-dot")                             \
  X(real, "real")                                         \
  X(recv, "recv")                                         \
  X(recv_done, "recv-done")                               \
  X(reduce, "reduce")                                     \
  X(reduce_precision, "reduce-precision")                 \
  X(reduce_scatter, "reduce-scatter")                     \
  X(reduce_window, "reduce-window")                       \
  X(remainder, "remainder")                               \
  X(replica_id, "replica-id")                             \
  X(reshape, "reshape")                                   \
  X(reverse, "reverse")                                   \
  X(rng, "rng")                                           \
  X(rng_bit_generator, "rng-bit-generator")               \
  X(rng_get_and_update_state, "rng-get-and-update-state") \
  X(round_nearest_afz, "round-nearest-afz")               \
  X(round_nearest_even, "round-nearest-even")             \
  X(rsqrt, "rsqrt")                                       \
  X(scaled_dot, "scaled-dot")                             \
  X(scan, "scan")                                         \
  X(scatter, "scatter")                                   \
  X(select, "select")                                     \
  X(select_and_scatter, "select-and-scatter")             \
  X(send, "send")                                         \
  X(send_done, "send-done")                               \
  X(set_dimension_size, "set-dimension-size")             \
  X(shift_left, "shift-left")                             \
  X(shift_right_arithmetic, "shift-right-arithmetic")     \
  X(shift_right_logical, "shift-right-logical")           \
  X(sign, "sign")                                         \
  X(sine, "sine")                                         \
  X(sinh, "sinh")                                         \
  X(slice, "slice")                                       \
  X(sort, "sort")                                         \
  X(sqrt, "sqrt")                                         \
  X(stochastic_convert, "stochastic-convert")             \
  X(subtract, "subtract")                                 \
  X(tan, "tan")                                           \
  X(tanh, "tanh")                                         \
  X(topk, "topk")                                         \
  X(transpose, "transpose")                               \
  X(triangular_solve, "triangular-solve")                 \
  X(tuple, "tuple")                                       \
  X(while_, "while")                                      \
  X(xor_, "xor")

enum class Opcode : std::uint8_t {
#define TESSERA_OPCODE(identifier, text) identifier,
  TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
      unknown,  ///< kept verbatim, not analyzed
};

/// The text, `dynamic-slice`; `unknown` for Opcode::unknown.
std::string_view to_string(Opcode opcode);

/// The opcode of a text, or nothing. O(1).
std::optional<Opcode> parse_opcode(std::string_view text);

/// abs, add, select, ...: output element i depends on element i of each operand only.
bool is_elementwise(Opcode opcode);

/// tuple, copy-done, ...: every output is a leaf of an operand, or has no data (a token, a context).
bool only_forwards(Opcode opcode);

}  // namespace tessera
