// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every attribute of an instruction that we know, with the form of its value.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// X(key, form)
#define TESSERA_ATTRIBUTES(X)                                                                                   \
  X("dimensions", ints)                                                                                         \
  X("iota_dimension", integer)                                                                                  \
  X("inferred_dimension", integer)                                                                              \
  X("slice", slice) X("dynamic_slice_sizes", ints) X("padding", padding) X("index", integer) X(                 \
      "direction", word) X("type", word) X("window", window) X("dim_labels", dim_labels)                        \
      X("lhs_contracting_dims", ints) X("rhs_contracting_dims", ints) X("lhs_batch_dims", ints) X(              \
          "rhs_batch_dims", ints) X("lhs_ragged_dims", ints) X("rhs_group_dims", ints)                          \
          X("operand_precision", words) X("algorithm", word) X("feature_group_count", integer) X(               \
              "batch_group_count", integer) X("convolution_kind", word) X("sparsity_config", verbatim)          \
              X("offset_dims", ints) X("collapsed_slice_dims", ints) X("start_index_map", ints) X(              \
                  "slice_sizes", ints) X("index_vector_dim", integer) X("operand_batching_dims", ints)          \
                  X("start_indices_batching_dims", ints) X(                                                     \
                      "indices_are_sorted",                                                                     \
                      boolean) X("update_window_dims",                                                          \
                                 ints) X("inserted_window_dims",                                                \
                                         ints) X("scatter_dims_to_operand_dims",                                \
                                                 ints) X("input_batching_dims", ints)                           \
                      X("scatter_indices_batching_dims", ints) X("unique_indices", boolean) X(                  \
                          "is_stable",                                                                          \
                          boolean) X("k",                                                                       \
                                     integer) X("largest", boolean)                                             \
                          X("num_carries", integer) X("is_reverse", boolean) X("is_associative", word) X(       \
                              "is_composite",                                                                   \
                              boolean) X("kind", word)                                                          \
                              X("to_apply", computation) X("calls", computation) X("condition", computation) X( \
                                  "body",                                                                       \
                                  computation) X("true_computation",                                            \
                                                 computation) X("false_computation", computation)               \
                                  X("select", computation) X(                                                   \
                                      "scatter", computation) X("branch_computations", computation)             \
                                      X("called_computations", computation) X(                                  \
                                          "output_to_operand_aliasing",                                         \
                                          aliases) X("custom_call_target",                                      \
                                                     text) X("operand_layout_constraints",                      \
                                                             verbatim) X("custom_call_has_side_effect",         \
                                                                         boolean) X("padding_type", word)       \
                                          X("literal", literal) X("schedule", word) X(                          \
                                              "api_version", word) X("replica_groups", replica_groups)          \
                                              X("channel_id", integer) X("use_global_device_ids", boolean) X(   \
                                                  "constrain_layout",                                           \
                                                  boolean) X("mode",                                            \
                                                             word) X("source_target_pairs",                     \
                                                                     pairs) X("is_host_transfer", boolean)      \
                                                  X("infeed_config", text) X("outfeed_config", text) X(         \
                                                      "outfeed_shape", type) X("async_execution_thread",        \
                                                                               text) X("distribution", word)    \
                                                      X("delta",                                                \
                                                        integer) X("fft_type",                                  \
                                                                   word) X("fft_length",                        \
                                                                           ints) X("exponent_bits", integer)    \
                                                          X("mantissa_bits",                                    \
                                                            integer) X("epsilon",                               \
                                                                       real) X("feature_index",                 \
                                                                               integer) X("left_side", boolean) \
                                                              X(                                                \
                                                                  "lower",                                      \
                                                                  boolean) X("unit_diagonal",                   \
                                                                             boolean) X("transpose_a", word)    \
                                                                  X("domain", verbatim) X(                      \
                                                                      "cross_program_prefetch_index",           \
                                                                      integer) X("result_accuracy",             \
                                                                                 verbatim) X("metadata",        \
                                                                                             metadata)          \
                                                                      X(                                        \
                                                                          "sharding",                           \
                                                                          sharding) X("frontend_attributes",    \
                                                                                      string_map)               \
                                                                          X("backend_config", text) X(          \
                                                                              "control-predecessors",           \
                                                                              names) X("statistics",            \
                                                                                       verbatim)                \
                                                                              X("parameter_replication",        \
                                                                                words) X("origin", verbatim)

enum class AttributeForm : std::uint8_t {
  unknown,         ///< not one of ours
  verbatim,        ///< balanced brackets, nothing more is asked
  ints,            ///< {1,2}
  integer,         ///< 3
  boolean,         ///< true
  word,            ///< EQ
  words,           ///< {default,high}
  real,            ///< 0.001
  text,            ///< "text", or brace text
  window,          ///< {size=3x3}
  dim_labels,      ///< b01f_01io->b01f
  padding,         ///< 0_1x0_1
  slice,           ///< {[0:4]}
  replica_groups,  ///< {{0,1}}, [1,2]<=[2], mesh['a'=2] {'a'}
  pairs,           ///< {{0,1},{1,0}}
  aliases,         ///< {{}: (0, {})}
  type,            ///< f32[2]{0}
  literal,         ///< f32[2] {1, 2}
  computation,     ///< name, {name, name}, or a body in braces
  metadata,        ///< {op_name="x" source_line=3}
  sharding,        ///< {devices=[2]<=[2]}
  string_map,      ///< {key="text",key={brace text}}
  names,           ///< {%a, %b}
};

/// The form of a key's value. O(length).
AttributeForm attribute_form(std::string_view key);

/// The names in a value of the forms computation and names, without `%`: `{%a, b}` -> a, b.
std::vector<std::string_view> listed_names(std::string_view value);

}  // namespace tessera::detail
