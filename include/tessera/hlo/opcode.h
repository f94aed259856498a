// SPDX-License-Identifier: Apache-2.0
/// \file
/// The opcodes of HLO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// How the outputs of an opcode relate to its operands.
enum class OpcodeTrait : std::uint8_t {
  none,       ///< in a way of its own
  unary,      ///< elementwise, with this number of operands
  binary,     ///< elementwise
  ternary,    ///< elementwise
  variadic,   ///< elementwise, with any number of operands
  moves_one,  ///< every element is one of the first operand, maybe as other bits; the others are indices
  moves_two,  ///< every element is one of the first two operands
  moves_all,  ///< every element is one of an operand
  makes,      ///< nothing is computed from elements of operands: constants, numbers, sizes
  exchanges,  ///< passes elements on between devices, or to and from the host, and computes nothing
  forwards,   ///< every output is a leaf of an operand, or has no data (a token, a context)
  calls,      ///< the maps are those of the called computation
  starts,     ///< those of the called computation, or of an operation; the result has the operands, too
  branches,   ///< those of one of the called computations
  loops,      ///< those of the called computations, any number of times
};

/// The attributes of most collectives.
#define TESSERA_COLLECTIVE_KEYS "replica_groups channel_id use_global_device_ids constrain_layout mode"

/// Every opcode: X(identifier, text, trait, rule, keys of its attributes). C++ keywords have a trailing
/// underscore. The rule named `Dot` is `kDotRule`, in src/hlo/ops/. The keys are those that only some opcodes
/// take.
#define TESSERA_OPCODES(X)                                                                                  \
  X(abs, "abs", unary, Elementwise, "")                                                                     \
  X(acos, "acos", unary, Elementwise, "")                                                                   \
  X(acosh, "acosh", unary, Elementwise, "")                                                                 \
  X(add, "add", binary, Elementwise, "")                                                                    \
  X(add_dependency, "add-dependency", forwards, AddDependency, "")                                          \
  X(after_all, "after-all", forwards, AfterAll, "")                                                         \
  X(all_gather, "all-gather", exchanges, AllGather, TESSERA_COLLECTIVE_KEYS " dimensions")                  \
  X(all_gather_done, "all-gather-done", forwards, AllGatherDone, "")                                        \
  X(all_gather_start, "all-gather-start", exchanges, AllGatherStart, "")                                    \
  X(all_reduce, "all-reduce", none, AllReduce, TESSERA_COLLECTIVE_KEYS " to_apply")                         \
  X(all_reduce_done, "all-reduce-done", forwards, AllReduceDone, "")                                        \
  X(all_reduce_start, "all-reduce-start", none, AllReduce, "")                                              \
  X(all_to_all, "all-to-all", exchanges, AllToAll, TESSERA_COLLECTIVE_KEYS " dimensions")                   \
  X(and_, "and", binary, Elementwise, "")                                                                   \
  X(asin, "asin", unary, Elementwise, "")                                                                   \
  X(asinh, "asinh", unary, Elementwise, "")                                                                 \
  X(async_done, "async-done", forwards, AsyncDone,                                                          \
    "calls output_to_operand_aliasing async_execution_thread")                                              \
  X(async_start, "async-start", starts, AsyncStart,                                                         \
    "calls output_to_operand_aliasing async_execution_thread")                                              \
  X(async_update, "async-update", forwards, AsyncUpdate,                                                    \
    "calls output_to_operand_aliasing async_execution_thread")                                              \
  X(atan2, "atan2", binary, Elementwise, "")                                                                \
  X(atanh, "atanh", unary, Elementwise, "")                                                                 \
  X(batch_norm_grad, "batch-norm-grad", none, BatchNormGrad, "epsilon feature_index")                       \
  X(batch_norm_inference, "batch-norm-inference", none, BatchNormInference, "epsilon feature_index")        \
  X(batch_norm_training, "batch-norm-training", none, BatchNormTraining, "epsilon feature_index")           \
  X(bitcast, "bitcast", moves_one, Bitcast, "")                                                             \
  X(bitcast_convert, "bitcast-convert", moves_one, BitcastConvert, "")                                      \
  X(broadcast, "broadcast", moves_one, Broadcast, "dimensions")                                             \
  X(call, "call", calls, Call, "is_composite to_apply output_to_operand_aliasing")                          \
  X(cbrt, "cbrt", unary, Elementwise, "")                                                                   \
  X(ceil, "ceil", unary, Elementwise, "")                                                                   \
  X(cholesky, "cholesky", none, Cholesky, "lower")                                                          \
  X(clamp, "clamp", ternary, Elementwise, "")                                                               \
  X(count_leading_zeros, "count-leading-zeros", unary, Elementwise, "")                                     \
  X(collective_broadcast, "collective-broadcast", exchanges, CollectiveBroadcast, TESSERA_COLLECTIVE_KEYS)  \
  X(collective_permute, "collective-permute", exchanges, CollectivePermute,                                 \
    "slice_sizes channel_id mode source_target_pairs")                                                      \
  X(collective_permute_done, "collective-permute-done", forwards, CollectivePermuteDone, "")                \
  X(collective_permute_start, "collective-permute-start", exchanges, CollectivePermuteStart, "")            \
  X(compare, "compare", binary, Compare, "direction type")                                                  \
  X(complex, "complex", binary, Elementwise, "")                                                            \
  X(concatenate, "concatenate", moves_all, Concatenate, "dimensions")                                       \
  X(conditional, "conditional", branches, Conditional,                                                      \
    "true_computation false_computation branch_computations")                                               \
  X(constant, "constant", makes, Nullary, "")                                                               \
  X(convert, "convert", unary, Elementwise, "")                                                             \
  X(convolution, "convolution", none, Convolution,                                                          \
    "window dim_labels operand_precision algorithm feature_group_count batch_group_count convolution_kind " \
    "sparsity_config")                                                                                      \
  X(copy, "copy", unary, Copy, "")                                                                          \
  X(copy_done, "copy-done", forwards, CopyDone, "")                                                         \
  X(copy_start, "copy-start", forwards, CopyStart, "cross_program_prefetch_index")                          \
  X(cosine, "cosine", unary, Elementwise, "")                                                               \
  X(cosh, "cosh", unary, Elementwise, "")                                                                   \
  X(custom_call, "custom-call", none, CustomCall,                                                           \
    "window dim_labels operand_precision feature_group_count batch_group_count to_apply "                   \
    "called_computations output_to_operand_aliasing custom_call_target operand_layout_constraints "         \
    "custom_call_has_side_effect padding_type literal schedule api_version")                                \
  X(divide, "divide", binary, Elementwise, "")                                                              \
  X(domain, "domain", forwards, Forward, "domain")                                                          \
  X(dot, "dot", none, Dot,                                                                                  \
    "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision algorithm "  \
    "sparsity")                                                                                             \
  X(dynamic_reshape, "dynamic-reshape", moves_one, DynamicReshape, "inferred_dimension")                    \
  X(dynamic_slice, "dynamic-slice", moves_one, DynamicSlice, "dynamic_slice_sizes")                         \
  X(dynamic_update_slice, "dynamic-update-slice", moves_two, DynamicUpdateSlice, "")                        \
  X(erf, "erf", unary, Elementwise, "")                                                                     \
  X(exponential, "exponential", unary, Elementwise, "")                                                     \
  X(exponential_minus_one, "exponential-minus-one", unary, Elementwise, "")                                 \
  X(fft, "fft", none, Fft, "fft_type fft_length")                                                           \
  X(floor, "floor", unary, Elementwise, "")                                                                 \
  X(fusion, "fusion", calls, Fusion, "kind calls output_to_operand_aliasing")                               \
  X(gather, "gather", moves_one, Gather,                                                                    \
    "offset_dims collapsed_slice_dims start_index_map slice_sizes index_vector_dim operand_batching_dims "  \
    "start_indices_batching_dims indices_are_sorted")                                                       \
  X(get_dimension_size, "get-dimension-size", makes, GetDimensionSize, "dimensions")                        \
  X(get_tuple_element, "get-tuple-element", forwards, GetTupleElement, "index")                             \
  X(imag, "imag", unary, Elementwise, "")                                                                   \
  X(infeed, "infeed", exchanges, Infeed, "infeed_config")                                                   \
  X(iota, "iota", makes, Iota, "iota_dimension")                                                            \
  X(is_finite, "is-finite", unary, Elementwise, "")                                                         \
  X(log, "log", unary, Elementwise, "")                                                                     \
  X(log_plus_one, "log-plus-one", unary, Elementwise, "")                                                   \
  X(logistic, "logistic", unary, Elementwise, "")                                                           \
  X(map, "map", variadic, Map, "dimensions to_apply")                                                       \
  X(maximum, "maximum", binary, Elementwise, "")                                                            \
  X(minimum, "minimum", binary, Elementwise, "")                                                            \
  X(mulhi, "mulhi", binary, Elementwise, "")                                                                \
  X(multiply, "multiply", binary, Elementwise, "")                                                          \
  X(negate, "negate", unary, Elementwise, "")                                                               \
  X(not_, "not", unary, Elementwise, "")                                                                    \
  X(opt_barrier, "opt-barrier", forwards, Forward, "")                                                      \
  X(or_, "or", binary, Elementwise, "")                                                                     \
  X(outfeed, "outfeed", exchanges, Outfeed, "outfeed_config outfeed_shape")                                 \
  X(pad, "pad", moves_two, Pad, "padding")                                                                  \
  X(parameter, "parameter", makes, Nullary, "")                                                             \
  X(partition_id, "partition-id", makes, DeviceNumber, "")                                                  \
  X(popcnt, "popcnt", unary, Elementwise, "")                                                               \
  X(power, "power", binary, Elementwise, "")                                                                \
  X(ragged_all_to_all, "ragged-all-to-all", exchanges, RaggedAllToAll,                                      \
    TESSERA_COLLECTIVE_KEYS " dimensions")                                                                  \
  X(ragged_dot, "ragged-dot", none, RaggedDot,                                                              \
    "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims lhs_ragged_dims "              \
    "rhs_group_dims operand_precision algorithm")                                                           \
  X(real, "real", unary, Elementwise, "")                                                                   \
  X(recv, "recv", exchanges, Recv, "channel_id is_host_transfer")                                           \
  X(recv_done, "recv-done", exchanges, RecvDone, "")                                                        \
  X(reduce, "reduce", none, Reduce, "dimensions to_apply")                                                  \
  X(reduce_precision, "reduce-precision", unary, ReducePrecision, "exponent_bits mantissa_bits")            \
  X(reduce_scatter, "reduce-scatter", none, ReduceScatter, TESSERA_COLLECTIVE_KEYS " dimensions to_apply")  \
  X(reduce_window, "reduce-window", none, ReduceWindow, "window to_apply")                                  \
  X(remainder, "remainder", binary, Elementwise, "")                                                        \
  X(replica_id, "replica-id", makes, DeviceNumber, "")                                                      \
  X(reshape, "reshape", moves_one, Reshape, "inferred_dimension")                                           \
  X(reverse, "reverse", moves_one, Reverse, "dimensions")                                                   \
  X(rng, "rng", none, Rng, "distribution")                                                                  \
  X(rng_bit_generator, "rng-bit-generator", none, RngBitGenerator, "algorithm")                             \
  X(rng_get_and_update_state, "rng-get-and-update-state", makes, Nullary, "delta")                          \
  X(round_nearest_afz, "round-nearest-afz", unary, Elementwise, "")                                         \
  X(round_nearest_even, "round-nearest-even", unary, Elementwise, "")                                       \
  X(rsqrt, "rsqrt", unary, Elementwise, "")                                                                 \
  X(scaled_dot, "scaled-dot", none, ScaledDot,                                                              \
    "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision algorithm")  \
  X(scan, "scan", none, Scan, "dimensions num_carries is_reverse is_associative to_apply")                  \
  X(scatter, "scatter", none, Scatter,                                                                      \
    "index_vector_dim indices_are_sorted update_window_dims inserted_window_dims "                          \
    "scatter_dims_to_operand_dims input_batching_dims scatter_indices_batching_dims unique_indices "        \
    "to_apply")                                                                                             \
  X(select, "select", ternary, Elementwise, "")                                                             \
  X(select_and_scatter, "select-and-scatter", none, SelectAndScatter, "window select scatter")              \
  X(send, "send", exchanges, Send, "channel_id is_host_transfer")                                           \
  X(send_done, "send-done", exchanges, SendDone, "")                                                        \
  X(set_dimension_size, "set-dimension-size", makes, SetDimensionSize, "dimensions")                        \
  X(shift_left, "shift-left", binary, Elementwise, "")                                                      \
  X(shift_right_arithmetic, "shift-right-arithmetic", binary, Elementwise, "")                              \
  X(shift_right_logical, "shift-right-logical", binary, Elementwise, "")                                    \
  X(sign, "sign", unary, Elementwise, "")                                                                   \
  X(sine, "sine", unary, Elementwise, "")                                                                   \
  X(sinh, "sinh", unary, Elementwise, "")                                                                   \
  X(slice, "slice", moves_one, Slice, "slice")                                                              \
  X(sort, "sort", none, Sort, "dimensions is_stable to_apply")                                              \
  X(sqrt, "sqrt", unary, Elementwise, "")                                                                   \
  X(stochastic_convert, "stochastic-convert", binary, Elementwise, "")                                      \
  X(subtract, "subtract", binary, Elementwise, "")                                                          \
  X(tan, "tan", unary, Elementwise, "")                                                                     \
  X(tanh, "tanh", unary, Elementwise, "")                                                                   \
  X(topk, "topk", none, TopK, "is_stable k largest")                                                        \
  X(transpose, "transpose", moves_one, Transpose, "dimensions")                                             \
  X(triangular_solve, "triangular-solve", none, TriangularSolve,                                            \
    "left_side lower unit_diagonal transpose_a")                                                            \
  X(tuple, "tuple", forwards, Tuple, "")                                                                    \
  X(while_, "while", loops, While, "condition body")                                                        \
  X(xor_, "xor", binary, Elementwise, "")

enum class Opcode : std::uint8_t {
#define TESSERA_OPCODE(identifier, text, trait, rule, keys) identifier,
  TESSERA_OPCODES(TESSERA_OPCODE)
#undef TESSERA_OPCODE
      unknown,  ///< kept verbatim, not analyzed
};

/// The text, `dynamic-slice`; `unknown` for Opcode::unknown.
std::string_view to_string(Opcode opcode);

/// The opcode of a text, or nothing. O(1).
std::optional<Opcode> parse_opcode(std::string_view text);

/// The trait in the table; none for Opcode::unknown.
OpcodeTrait trait_of(Opcode opcode);

/// abs, add, select, ...: output element i depends on element i of each operand only.
inline bool is_elementwise(Opcode opcode) {
  const OpcodeTrait trait = trait_of(opcode);
  return OpcodeTrait::unary <= trait && trait <= OpcodeTrait::variadic;
}

/// tuple, copy-done, ...: every output is a leaf of an operand, or has no data (a token, a context).
inline bool only_forwards(Opcode opcode) { return trait_of(opcode) == OpcodeTrait::forwards; }

/// call, fusion, while, ...: the maps are those of the called computations.
inline bool calls_computations(Opcode opcode) { return trait_of(opcode) >= OpcodeTrait::calls; }

/// broadcast, slice, concatenate, ...: of how many of its operands the result holds elements, in order; the
/// others are indices. 0: of other opcodes.
inline std::size_t moved_operands(Opcode opcode, std::size_t operands) {
  const OpcodeTrait trait = trait_of(opcode);
  if (trait == OpcodeTrait::moves_all) return operands;
  return trait == OpcodeTrait::moves_one ? 1 : trait == OpcodeTrait::moves_two ? 2 : 0;
}

}  // namespace tessera
