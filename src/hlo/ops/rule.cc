// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/rule.h"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace tessera::detail {

IndexingSet unknown_set(std::string reason) { return just(Indexing::unknown(std::move(reason))); }

IndexingSet unknown_set(const Diagnostic& diagnostic) { return unknown_set(std::string(diagnostic.message)); }

IndexingSet bad_shape(const OpQuery& q) {
  return unknown_set(fmt::format("the shapes of this {} do not match", to_string(q.op.opcode)));
}

namespace {

IndexingSet nothing_known(const OpQuery& q) {
  return unknown_set(fmt::format("unknown opcode {}", q.op.opcode_text));
}

using RuleTable = std::array<const OpRule*, static_cast<std::size_t>(Opcode::unknown) + 1>;

constexpr RuleTable make_table() {
  RuleTable table{};
  const auto set = [&](const OpRule& rule, std::initializer_list<Opcode> opcodes) {
    for (const Opcode opcode : opcodes) table[static_cast<std::size_t>(opcode)] = &rule;
  };
  using enum Opcode;
  for (const OpRule*& rule : table) rule = &kUnknownRule;
  set(kElementwiseRule, {abs,
                         acos,
                         acosh,
                         add,
                         and_,
                         asin,
                         asinh,
                         atan2,
                         atanh,
                         cbrt,
                         ceil,
                         clamp,
                         compare,
                         complex,
                         convert,
                         copy,
                         cosine,
                         cosh,
                         divide,
                         erf,
                         floor,
                         imag,
                         is_finite,
                         log,
                         logistic,
                         map,
                         maximum,
                         minimum,
                         mulhi,
                         multiply,
                         negate,
                         not_,
                         or_,
                         popcnt,
                         power,
                         real,
                         remainder,
                         rsqrt,
                         select,
                         shift_left,
                         sign,
                         sine,
                         sinh,
                         sqrt,
                         subtract,
                         tan,
                         tanh,
                         xor_,
                         exponential,
                         log_plus_one,
                         count_leading_zeros,
                         exponential_minus_one,
                         reduce_precision,
                         round_nearest_afz,
                         round_nearest_even,
                         shift_right_arithmetic,
                         shift_right_logical,
                         stochastic_convert});
  set(kBitcastConvertRule, {bitcast_convert});
  set(kBroadcastRule, {broadcast});
  set(kReshapeRule, {reshape});
  set(kDynamicReshapeRule, {dynamic_reshape});
  set(kBitcastRule, {bitcast});
  set(kTransposeRule, {transpose});
  set(kReverseRule, {reverse});
  set(kSliceRule, {slice});
  set(kConcatenateRule, {concatenate});
  set(kPadRule, {pad});
  set(kReduceRule, {reduce});
  set(kReduceWindowRule, {reduce_window});
  set(kSelectAndScatterRule, {select_and_scatter});
  set(kConvolutionRule, {convolution});
  set(kDotRule, {dot});
  set(kScaledDotRule, {scaled_dot});
  set(kRaggedDotRule, {ragged_dot});
  set(kDynamicSliceRule, {dynamic_slice});
  set(kDynamicUpdateSliceRule, {dynamic_update_slice});
  set(kGatherRule, {gather});
  set(kScatterRule, {scatter});
  set(kSortRule, {sort});
  set(kTopKRule, {topk});
  set(kScanRule, {scan});
  set(kFftRule, {fft});
  set(kCholeskyRule, {cholesky});
  set(kTriangularSolveRule, {triangular_solve});
  set(kBatchNormInferenceRule, {batch_norm_inference});
  set(kBatchNormTrainingRule, {batch_norm_training});
  set(kBatchNormGradRule, {batch_norm_grad});
  set(kRngRule, {rng});
  set(kRngBitGeneratorRule, {rng_bit_generator});
  set(kAllReduceRule, {all_reduce, all_reduce_start});
  set(kAllGatherRule, {all_gather});
  set(kAllGatherStartRule, {all_gather_start});
  set(kReduceScatterRule, {reduce_scatter});
  set(kAllToAllRule, {all_to_all});
  set(kCollectivePermuteRule, {collective_permute});
  set(kCollectivePermuteStartRule, {collective_permute_start});
  set(kCollectiveBroadcastRule, {collective_broadcast});
  set(kRaggedAllToAllRule, {ragged_all_to_all});
  set(kForwardRule,
      {add_dependency, all_gather_done, all_reduce_done, async_done, async_update, collective_permute_done,
       copy_done, copy_start, domain, get_tuple_element, opt_barrier, tuple});
  // Instructions without operands, or that read no elements.
  set(kNoElementsRule, {after_all, constant, get_dimension_size, iota, parameter, partition_id, replica_id,
                        rng_get_and_update_state});
  set(kSetDimensionSizeRule, {set_dimension_size});
  set(kCustomCallRule, {custom_call});
  set(kBoundaryRule, {infeed, outfeed, recv, recv_done, send, send_done});
  set(kThroughComputationsRule, {async_start, call, conditional, fusion, while_});
  return table;
}

constexpr RuleTable kRules = make_table();

}  // namespace

constinit const OpRule kThroughComputationsRule{.tuple_operands = true};
constinit const OpRule kUnknownRule{nothing_known, nothing_known, true};

const OpRule& rule_of(Opcode opcode) { return *kRules[static_cast<std::size_t>(opcode)]; }

}  // namespace tessera::detail
