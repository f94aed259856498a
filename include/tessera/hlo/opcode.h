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

/// What an opcode computes, or what it is for.
enum class OpcodeKind : std::uint8_t {
  nothing,         ///< moves, names or makes up data
  arithmetic,      ///< elementwise: sums, comparisons, conversions, ...
  transcendental,  ///< elementwise, except of integers
  called,          ///< what the called computation computes
  branch,          ///< what one of the called computations computes
  loop,            ///< what they compute, any number of times
  started,         ///< what an asynchronous operation computes
  product,         ///< of matrices
  convolution,
  reduction,
  windows,  ///< reductions of windows
  scatter,
  sort,
  scan,
  equations,  ///< a decomposition of matrices, or a solution
  algorithm,  ///< what an algorithm computes that the text does not say
  random,     ///< numbers that may differ from device to device
  state,      ///< of a generator of random numbers
  custom,     ///< what only the compiler knows
  transfer,   ///< to or from the host or another program
  // Collectives, also those that only start one.
  all_gather,
  all_reduce,
  all_to_all,
  collective_broadcast,
  collective_permute,
  ragged_all_to_all,
  reduce_scatter,
  unknown,  ///< only of Opcode::unknown
};

/// The kinds that are collectives, as a type of their own.
enum class Collective : std::uint8_t {
  all_gather = static_cast<std::uint8_t>(OpcodeKind::all_gather),
  all_reduce = static_cast<std::uint8_t>(OpcodeKind::all_reduce),
  all_to_all = static_cast<std::uint8_t>(OpcodeKind::all_to_all),
  broadcast = static_cast<std::uint8_t>(OpcodeKind::collective_broadcast),
  permute = static_cast<std::uint8_t>(OpcodeKind::collective_permute),
  ragged_all_to_all = static_cast<std::uint8_t>(OpcodeKind::ragged_all_to_all),
  reduce_scatter = static_cast<std::uint8_t>(OpcodeKind::reduce_scatter),
};

/// The attributes of most collectives.
#define TESSERA_COLLECTIVE_KEYS "replica_groups channel_id use_global_device_ids constrain_layout mode"

/// Every opcode: X(identifier, text, trait, kind, rule, keys of its attributes). C++ keywords have a trailing
/// underscore. The rule named `Dot` is `kDotRule`, in src/hlo/ops/. The keys are those that only some opcodes
/// take.
#define TESSERA_OPCODES(X)                                                                                   \
  X(abs, "abs", unary, arithmetic, Elementwise, "")                                                          \
  X(acos, "acos", unary, transcendental, Elementwise, "")                                                    \
  X(acosh, "acosh", unary, transcendental, Elementwise, "")                                                  \
  X(add, "add", binary, arithmetic, Elementwise, "")                                                         \
  X(add_dependency, "add-dependency", forwards, nothing, AddDependency, "")                                  \
  X(after_all, "after-all", forwards, nothing, AfterAll, "")                                                 \
  X(all_gather, "all-gather", exchanges, all_gather, AllGather, TESSERA_COLLECTIVE_KEYS " dimensions")       \
  X(all_gather_done, "all-gather-done", forwards, nothing, AllGatherDone, "")                                \
  X(all_gather_start, "all-gather-start", exchanges, all_gather, AllGatherStart, "")                         \
  X(all_reduce, "all-reduce", none, all_reduce, AllReduce, TESSERA_COLLECTIVE_KEYS " to_apply")              \
  X(all_reduce_done, "all-reduce-done", forwards, nothing, AllReduceDone, "")                                \
  X(all_reduce_start, "all-reduce-start", none, all_reduce, AllReduce, "")                                   \
  X(all_to_all, "all-to-all", exchanges, all_to_all, AllToAll, TESSERA_COLLECTIVE_KEYS " dimensions")        \
  X(and_, "and", binary, arithmetic, Elementwise, "")                                                        \
  X(asin, "asin", unary, transcendental, Elementwise, "")                                                    \
  X(asinh, "asinh", unary, transcendental, Elementwise, "")                                                  \
  X(async_done, "async-done", forwards, nothing, AsyncDone,                                                  \
    "calls output_to_operand_aliasing async_execution_thread")                                               \
  X(async_start, "async-start", starts, started, AsyncStart,                                                 \
    "calls output_to_operand_aliasing async_execution_thread")                                               \
  X(async_update, "async-update", forwards, nothing, AsyncUpdate,                                            \
    "calls output_to_operand_aliasing async_execution_thread")                                               \
  X(atan2, "atan2", binary, transcendental, Elementwise, "")                                                 \
  X(atanh, "atanh", unary, transcendental, Elementwise, "")                                                  \
  X(batch_norm_grad, "batch-norm-grad", none, algorithm, BatchNormGrad, "epsilon feature_index")             \
  X(batch_norm_inference, "batch-norm-inference", none, algorithm, BatchNormInference,                       \
    "epsilon feature_index")                                                                                 \
  X(batch_norm_training, "batch-norm-training", none, algorithm, BatchNormTraining, "epsilon feature_index") \
  X(bitcast, "bitcast", moves_one, nothing, Bitcast, "")                                                     \
  X(bitcast_convert, "bitcast-convert", moves_one, nothing, BitcastConvert, "")                              \
  X(broadcast, "broadcast", moves_one, nothing, Broadcast, "dimensions")                                     \
  X(call, "call", calls, called, Call, "is_composite to_apply output_to_operand_aliasing")                   \
  X(cbrt, "cbrt", unary, transcendental, Elementwise, "")                                                    \
  X(ceil, "ceil", unary, arithmetic, Elementwise, "")                                                        \
  X(cholesky, "cholesky", none, equations, Cholesky, "lower")                                                \
  X(clamp, "clamp", ternary, arithmetic, Elementwise, "")                                                    \
  X(count_leading_zeros, "count-leading-zeros", unary, arithmetic, Elementwise, "")                          \
  X(collective_broadcast, "collective-broadcast", exchanges, collective_broadcast, CollectiveBroadcast,      \
    TESSERA_COLLECTIVE_KEYS)                                                                                 \
  X(collective_permute, "collective-permute", exchanges, collective_permute, CollectivePermute,              \
    "slice_sizes channel_id mode source_target_pairs")                                                       \
  X(collective_permute_done, "collective-permute-done", forwards, nothing, CollectivePermuteDone, "")        \
  X(collective_permute_start, "collective-permute-start", exchanges, collective_permute,                     \
    CollectivePermuteStart, "")                                                                              \
  X(compare, "compare", binary, arithmetic, Compare, "direction type")                                       \
  X(complex, "complex", binary, nothing, Elementwise, "")                                                    \
  X(concatenate, "concatenate", moves_all, nothing, Concatenate, "dimensions")                               \
  X(conditional, "conditional", branches, branch, Conditional,                                               \
    "true_computation false_computation branch_computations")                                                \
  X(constant, "constant", makes, nothing, Nullary, "")                                                       \
  X(convert, "convert", unary, arithmetic, Elementwise, "")                                                  \
  X(convolution, "convolution", none, convolution, Convolution,                                              \
    "window dim_labels operand_precision algorithm feature_group_count batch_group_count convolution_kind "  \
    "sparsity_config")                                                                                       \
  X(copy, "copy", unary, nothing, Copy, "")                                                                  \
  X(copy_done, "copy-done", forwards, nothing, CopyDone, "")                                                 \
  X(copy_start, "copy-start", forwards, nothing, CopyStart, "cross_program_prefetch_index")                  \
  X(cosine, "cosine", unary, transcendental, Elementwise, "")                                                \
  X(cosh, "cosh", unary, transcendental, Elementwise, "")                                                    \
  X(custom_call, "custom-call", none, custom, CustomCall,                                                    \
    "window dim_labels operand_precision feature_group_count batch_group_count to_apply "                    \
    "called_computations output_to_operand_aliasing custom_call_target operand_layout_constraints "          \
    "custom_call_has_side_effect padding_type literal schedule api_version")                                 \
  X(divide, "divide", binary, arithmetic, Elementwise, "")                                                   \
  X(domain, "domain", forwards, nothing, Forward, "domain")                                                  \
  X(dot, "dot", none, product, Dot,                                                                          \
    "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision algorithm "   \
    "sparsity")                                                                                              \
  X(dynamic_reshape, "dynamic-reshape", moves_one, nothing, DynamicReshape, "inferred_dimension")            \
  X(dynamic_slice, "dynamic-slice", moves_one, nothing, DynamicSlice, "dynamic_slice_sizes")                 \
  X(dynamic_update_slice, "dynamic-update-slice", moves_two, nothing, DynamicUpdateSlice, "")                \
  X(erf, "erf", unary, transcendental, Elementwise, "")                                                      \
  X(exponential, "exponential", unary, transcendental, Elementwise, "")                                      \
  X(exponential_minus_one, "exponential-minus-one", unary, transcendental, Elementwise, "")                  \
  X(fft, "fft", none, algorithm, Fft, "fft_type fft_length")                                                 \
  X(floor, "floor", unary, arithmetic, Elementwise, "")                                                      \
  X(fusion, "fusion", calls, called, Fusion, "kind calls output_to_operand_aliasing")                        \
  X(gather, "gather", moves_one, nothing, Gather,                                                            \
    "offset_dims collapsed_slice_dims start_index_map slice_sizes index_vector_dim operand_batching_dims "   \
    "start_indices_batching_dims indices_are_sorted")                                                        \
  X(get_dimension_size, "get-dimension-size", makes, nothing, GetDimensionSize, "dimensions")                \
  X(get_tuple_element, "get-tuple-element", forwards, nothing, GetTupleElement, "index")                     \
  X(imag, "imag", unary, nothing, Elementwise, "")                                                           \
  X(infeed, "infeed", exchanges, transfer, Infeed, "infeed_config")                                          \
  X(iota, "iota", makes, nothing, Iota, "iota_dimension")                                                    \
  X(is_finite, "is-finite", unary, arithmetic, Elementwise, "")                                              \
  X(log, "log", unary, transcendental, Elementwise, "")                                                      \
  X(log_plus_one, "log-plus-one", unary, transcendental, Elementwise, "")                                    \
  X(logistic, "logistic", unary, transcendental, Elementwise, "")                                            \
  X(map, "map", variadic, called, Map, "dimensions to_apply")                                                \
  X(maximum, "maximum", binary, arithmetic, Elementwise, "")                                                 \
  X(minimum, "minimum", binary, arithmetic, Elementwise, "")                                                 \
  X(mulhi, "mulhi", binary, arithmetic, Elementwise, "")                                                     \
  X(multiply, "multiply", binary, arithmetic, Elementwise, "")                                               \
  X(negate, "negate", unary, arithmetic, Elementwise, "")                                                    \
  X(not_, "not", unary, arithmetic, Elementwise, "")                                                         \
  X(opt_barrier, "opt-barrier", forwards, nothing, Forward, "")                                              \
  X(or_, "or", binary, arithmetic, Elementwise, "")                                                          \
  X(outfeed, "outfeed", exchanges, transfer, Outfeed, "outfeed_config outfeed_shape")                        \
  X(pad, "pad", moves_two, nothing, Pad, "padding")                                                          \
  X(parameter, "parameter", makes, nothing, Nullary, "")                                                     \
  X(partition_id, "partition-id", makes, nothing, DeviceNumber, "")                                          \
  X(popcnt, "popcnt", unary, arithmetic, Elementwise, "")                                                    \
  X(power, "power", binary, transcendental, Elementwise, "")                                                 \
  X(ragged_all_to_all, "ragged-all-to-all", exchanges, ragged_all_to_all, RaggedAllToAll,                    \
    TESSERA_COLLECTIVE_KEYS " dimensions")                                                                   \
  X(ragged_dot, "ragged-dot", none, product, RaggedDot,                                                      \
    "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims lhs_ragged_dims "               \
    "rhs_group_dims operand_precision algorithm")                                                            \
  X(real, "real", unary, nothing, Elementwise, "")                                                           \
  X(recv, "recv", exchanges, transfer, Recv, "channel_id is_host_transfer")                                  \
  X(recv_done, "recv-done", exchanges, transfer, RecvDone, "")                                               \
  X(reduce, "reduce", none, reduction, Reduce, "dimensions to_apply")                                        \
  X(reduce_precision, "reduce-precision", unary, arithmetic, ReducePrecision, "exponent_bits mantissa_bits") \
  X(reduce_scatter, "reduce-scatter", none, reduce_scatter, ReduceScatter,                                   \
    TESSERA_COLLECTIVE_KEYS " dimensions to_apply")                                                          \
  X(reduce_window, "reduce-window", none, windows, ReduceWindow, "window to_apply")                          \
  X(remainder, "remainder", binary, arithmetic, Elementwise, "")                                             \
  X(replica_id, "replica-id", makes, nothing, DeviceNumber, "")                                              \
  X(reshape, "reshape", moves_one, nothing, Reshape, "inferred_dimension")                                   \
  X(reverse, "reverse", moves_one, nothing, Reverse, "dimensions")                                           \
  X(rng, "rng", none, random, Rng, "distribution")                                                           \
  X(rng_bit_generator, "rng-bit-generator", none, algorithm, RngBitGenerator, "algorithm")                   \
  X(rng_get_and_update_state, "rng-get-and-update-state", makes, state, Nullary, "delta")                    \
  X(round_nearest_afz, "round-nearest-afz", unary, arithmetic, Elementwise, "")                              \
  X(round_nearest_even, "round-nearest-even", unary, arithmetic, Elementwise, "")                            \
  X(rsqrt, "rsqrt", unary, transcendental, Elementwise, "")                                                  \
  X(scaled_dot, "scaled-dot", none, product, ScaledDot,                                                      \
    "lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims operand_precision algorithm")   \
  X(scan, "scan", none, scan, Scan, "dimensions num_carries is_reverse is_associative to_apply")             \
  X(scatter, "scatter", none, scatter, Scatter,                                                              \
    "index_vector_dim indices_are_sorted update_window_dims inserted_window_dims "                           \
    "scatter_dims_to_operand_dims input_batching_dims scatter_indices_batching_dims unique_indices "         \
    "to_apply")                                                                                              \
  X(select, "select", ternary, arithmetic, Elementwise, "")                                                  \
  X(select_and_scatter, "select-and-scatter", none, windows, SelectAndScatter, "window select scatter")      \
  X(send, "send", exchanges, transfer, Send, "channel_id is_host_transfer")                                  \
  X(send_done, "send-done", exchanges, transfer, SendDone, "")                                               \
  X(set_dimension_size, "set-dimension-size", makes, nothing, SetDimensionSize, "dimensions")                \
  X(shift_left, "shift-left", binary, arithmetic, Elementwise, "")                                           \
  X(shift_right_arithmetic, "shift-right-arithmetic", binary, arithmetic, Elementwise, "")                   \
  X(shift_right_logical, "shift-right-logical", binary, arithmetic, Elementwise, "")                         \
  X(sign, "sign", unary, arithmetic, Elementwise, "")                                                        \
  X(sine, "sine", unary, transcendental, Elementwise, "")                                                    \
  X(sinh, "sinh", unary, transcendental, Elementwise, "")                                                    \
  X(slice, "slice", moves_one, nothing, Slice, "slice")                                                      \
  X(sort, "sort", none, sort, Sort, "dimensions is_stable to_apply")                                         \
  X(sqrt, "sqrt", unary, transcendental, Elementwise, "")                                                    \
  X(stochastic_convert, "stochastic-convert", binary, arithmetic, Elementwise, "")                           \
  X(subtract, "subtract", binary, arithmetic, Elementwise, "")                                               \
  X(tan, "tan", unary, transcendental, Elementwise, "")                                                      \
  X(tanh, "tanh", unary, transcendental, Elementwise, "")                                                    \
  X(topk, "topk", none, algorithm, TopK, "is_stable k largest")                                              \
  X(transpose, "transpose", moves_one, nothing, Transpose, "dimensions")                                     \
  X(triangular_solve, "triangular-solve", none, equations, TriangularSolve,                                  \
    "left_side lower unit_diagonal transpose_a")                                                             \
  X(tuple, "tuple", forwards, nothing, Tuple, "")                                                            \
  X(while_, "while", loops, loop, While, "condition body")                                                   \
  X(xor_, "xor", binary, arithmetic, Elementwise, "")

enum class Opcode : std::uint8_t {
#define TESSERA_OPCODE(identifier, text, trait, kind, rule, keys) identifier,
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

/// The kind in the table.
OpcodeKind kind_of(Opcode opcode);

/// The collective that the opcode is or starts, if any.
inline std::optional<Collective> collective_of(Opcode opcode) {
  const OpcodeKind kind = kind_of(opcode);
  if (kind < OpcodeKind::all_gather || kind > OpcodeKind::reduce_scatter) return std::nullopt;
  return static_cast<Collective>(kind);
}

/// abs, add, select, ...: output element i depends on element i of each operand only.
inline bool is_elementwise(Opcode opcode) {
  const OpcodeTrait trait = trait_of(opcode);
  return OpcodeTrait::unary <= trait && trait <= OpcodeTrait::variadic;
}

/// tuple, copy-done, ...: every output is a leaf of an operand, or has no data (a token, a context).
inline bool only_forwards(Opcode opcode) { return trait_of(opcode) == OpcodeTrait::forwards; }

/// call, fusion, while, ...: the maps are those of the called computations.
inline bool calls_computations(Opcode opcode) { return trait_of(opcode) >= OpcodeTrait::calls; }

/// async-start, all-gather-start, collective-permute-start: the result is a tuple of the operands, the result
/// of what was started, and contexts.
inline bool returns_operands(Opcode opcode) {
  return opcode == Opcode::async_start || opcode == Opcode::all_gather_start ||
         opcode == Opcode::collective_permute_start;
}

/// broadcast, slice, concatenate, ...: of how many of its operands the result holds elements, in order; the
/// others are indices. 0: of other opcodes.
inline std::size_t moved_operands(Opcode opcode, std::size_t operands) {
  const OpcodeTrait trait = trait_of(opcode);
  if (trait == OpcodeTrait::moves_all) return operands;
  return trait == OpcodeTrait::moves_one ? 1 : trait == OpcodeTrait::moves_two ? 2 : 0;
}

}  // namespace tessera
