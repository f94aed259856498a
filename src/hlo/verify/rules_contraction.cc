// SPDX-License-Identifier: Apache-2.0
// Sums of products: dot and its variants, convolution.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/verify/rules.h"
#include "hlo/verify/window_rule.h"

namespace tessera::detail {
namespace {

// Dimension numbers of a dot, one list for each side and role.
struct DotDims {
  std::vector<Index> lhs_batch;
  std::vector<Index> rhs_batch;
  std::vector<Index> lhs_contracting;
  std::vector<Index> rhs_contracting;
};

Problem check_pairs(const Rule& rule, std::string_view what, const std::vector<Index>& lhs,
                    const std::vector<Index>& rhs, std::string_view rhs_key) {
  if (lhs.size() != rhs.size()) {
    return rule.wrong_attribute(
        Code::rank_mismatch, rhs_key,
        fmt::format("the left side has {}, but the right side has {}",
                    plural(lhs.size(), fmt::format("{} dimension", what)), rhs.size()));
  }
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    const Index left = rule.dims(0)[static_cast<std::size_t>(lhs[i])];
    const Index right = rule.dims(1)[static_cast<std::size_t>(rhs[i])];
    if (left != right) {
      return rule.wrong_attribute(
          Code::shape_mismatch, rhs_key,
          fmt::format("{} sizes differ: dimension {} of the left side has {}, but dimension {} of "
                      "the right side has {}",
                      what, lhs[i], left, rhs[i], right));
    }
  }
  return std::nullopt;
}

Problem check_side(const Rule& rule, std::size_t operand, const char* batch_key,
                   const std::vector<Index>& batch, const char* contracting_key,
                   const std::vector<Index>& contracting) {
  const std::size_t rank = rule.dims(operand).size();
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute(batch_key), batch, rank));
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute(contracting_key), contracting, rank));
  for (const Index dim : contracting) {
    if (std::ranges::find(batch, dim) != batch.end()) {
      return rule.wrong_attribute(
          Code::bad_attribute, contracting_key,
          fmt::format("dimension {} is both a batch and a contracting dimension", dim),
          fmt::format("remove {} from '{}' or '{}'", dim, batch_key, contracting_key));
    }
  }
  return std::nullopt;
}

// Appends the extents of the free dimensions, in order.
void append_free(const Rule& rule, std::size_t operand, const std::vector<Index>& batch,
                 const std::vector<Index>& contracting, std::vector<Index>& out) {
  const auto dims = rule.dims(operand);
  std::vector<bool> used(dims.size());
  for (const Index dim : batch) used[static_cast<std::size_t>(dim)] = true;
  for (const Index dim : contracting) used[static_cast<std::size_t>(dim)] = true;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!used[i]) out.push_back(dims[i]);
  }
}

Problem check_dot_dims(const Rule& rule) {
  DotDims d;
  for (auto [list, key] :
       {std::pair{&d.lhs_batch, "lhs_batch_dims"}, std::pair{&d.rhs_batch, "rhs_batch_dims"},
        std::pair{&d.lhs_contracting, "lhs_contracting_dims"},
        std::pair{&d.rhs_contracting, "rhs_contracting_dims"}}) {
    TESSERA_READ(dims, ints_of(rule.instruction(), key, {}));
    *list = std::move(dims);
  }
  TESSERA_RULE(check_side(rule, 0, "lhs_batch_dims", d.lhs_batch, "lhs_contracting_dims", d.lhs_contracting));
  TESSERA_RULE(check_side(rule, 1, "rhs_batch_dims", d.rhs_batch, "rhs_contracting_dims", d.rhs_contracting));
  TESSERA_RULE(check_pairs(rule, "batch", d.lhs_batch, d.rhs_batch, "rhs_batch_dims"));
  TESSERA_RULE(
      check_pairs(rule, "contracting", d.lhs_contracting, d.rhs_contracting, "rhs_contracting_dims"));
  std::vector<Index> dims;
  for (const Index dim : d.lhs_batch) dims.push_back(rule.dims(0)[static_cast<std::size_t>(dim)]);
  append_free(rule, 0, d.lhs_batch, d.lhs_contracting, dims);
  append_free(rule, 1, d.rhs_batch, d.rhs_contracting, dims);
  // Sums may have any element type, so the written one is used.
  if (rule.written_type() == nullptr) return rule.gives(rule.dtype(0), std::move(dims));
  return rule.gives_dims(std::move(dims));
}

// A scale has the rank of its operand, and each of its extents divides the operand's extent.
Problem check_scale(const Rule& rule, std::size_t scale) {
  const auto dims = rule.dims(scale);
  const auto operand = rule.dims(scale - 2);
  if (dims.empty()) return std::nullopt;  // no scale
  if (dims.size() != operand.size()) {
    return rule.wrong_operand(Code::rank_mismatch, scale,
                              fmt::format("the scale has {}, but its operand has {}",
                                          plural(dims.size(), "dimension"), operand.size()));
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 1 || operand[i] % dims[i] != 0) {
      return rule.wrong_operand(
          Code::shape_mismatch, scale,
          fmt::format("extent {} of the scale's dimension {} does not divide the operand's {}", dims[i], i,
                      operand[i]));
    }
  }
  return std::nullopt;
}

Problem check_ragged_dot(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(3));
  TESSERA_RULE(rule.operands_are_arrays());
  for (const auto& [key, operand] :
       {std::pair{"lhs_batch_dims", 0}, std::pair{"rhs_batch_dims", 1}, std::pair{"lhs_contracting_dims", 0},
        std::pair{"rhs_contracting_dims", 1}, std::pair{"lhs_ragged_dims", 0},
        std::pair{"rhs_group_dims", 1}}) {
    TESSERA_READ(dims, ints_of(rule.instruction(), key, {}));
    TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute(key), dims,
                                    rule.dims(static_cast<std::size_t>(operand)).size()));
  }
  return rule.must_be_written();
}

struct ConvolutionSizes {
  Index feature_groups = 1;
  Index batch_groups = 1;
};

Problem check_labels(const Rule& rule, const ConvolutionDims& labels) {
  const auto check_rank = [&](const char* what, std::size_t rank, std::size_t wanted) -> Problem {
    if (rank == wanted) return std::nullopt;
    return rule.wrong_attribute(Code::rank_mismatch, "dim_labels",
                                fmt::format("'dim_labels' names {} of the {}, which has {}",
                                            plural(rank, "dimension"), what, wanted));
  };
  TESSERA_RULE(check_rank("input", labels.input_rank, rule.dims(0).size()));
  TESSERA_RULE(check_rank("kernel", labels.kernel_rank, rule.dims(1).size()));
  if (labels.input_spatial.size() != labels.kernel_spatial.size() ||
      labels.input_spatial.size() != labels.output_spatial.size()) {
    return rule.wrong_attribute(
        Code::rank_mismatch, "dim_labels",
        fmt::format("'dim_labels' has {}, {} and {} spatial dimensions for input, kernel and output",
                    labels.input_spatial.size(), labels.kernel_spatial.size(), labels.output_spatial.size()));
  }
  if (labels.input_batch < 0 || labels.input_feature < 0 || labels.kernel_input_feature < 0 ||
      labels.kernel_output_feature < 0 || labels.output_batch < 0 || labels.output_feature < 0) {
    return rule.wrong_attribute(Code::bad_attribute, "dim_labels",
                                "'dim_labels' needs b and f for input and output, i and o for the kernel");
  }
  return std::nullopt;
}

Problem check_groups(const Rule& rule, const ConvolutionDims& labels, const ConvolutionSizes& sizes) {
  const auto at = [&](std::size_t operand, Index dim) {
    return rule.dims(operand)[static_cast<std::size_t>(dim)];
  };
  const Index features = at(0, labels.input_feature);
  const Index batch = at(0, labels.input_batch);
  const Index kernel_in = at(1, labels.kernel_input_feature);
  const Index kernel_out = at(1, labels.kernel_output_feature);
  if (sizes.feature_groups < 1 || sizes.batch_groups < 1) {
    return rule.wrong_attribute(Code::bad_attribute,
                                sizes.feature_groups < 1 ? "feature_group_count" : "batch_group_count",
                                "the number of groups must be at least 1");
  }
  if (features % sizes.feature_groups != 0 || kernel_in != features / sizes.feature_groups) {
    return rule.wrong_operand(
        Code::shape_mismatch, 1,
        fmt::format("the kernel has {}, but {} features of the input in {} make {}",
                    plural(static_cast<std::size_t>(kernel_in), "input feature"), features,
                    plural(static_cast<std::size_t>(sizes.feature_groups), "group"),
                    features / sizes.feature_groups));
  }
  if (kernel_out % sizes.feature_groups != 0 || kernel_out % sizes.batch_groups != 0) {
    return rule.wrong_operand(
        Code::shape_mismatch, 1,
        fmt::format("the {} output features of the kernel cannot be split evenly into {} and {}", kernel_out,
                    plural(static_cast<std::size_t>(sizes.feature_groups), "feature group"),
                    plural(static_cast<std::size_t>(sizes.batch_groups), "batch group")));
  }
  if (batch % sizes.batch_groups != 0) {
    return rule.wrong_attribute(Code::shape_mismatch, "batch_group_count",
                                fmt::format("a batch of {} cannot be split evenly into {}", batch,
                                            plural(static_cast<std::size_t>(sizes.batch_groups), "group")));
  }
  return std::nullopt;
}

Problem check_convolution(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(labels, dim_labels_of(rule.instruction()));
  TESSERA_READ(window, window_of(rule.instruction()));
  ConvolutionSizes sizes;
  TESSERA_READ(feature_groups, int_of(rule.instruction(), "feature_group_count", 1));
  TESSERA_READ(batch_groups, int_of(rule.instruction(), "batch_group_count", 1));
  sizes = {feature_groups, batch_groups};
  TESSERA_RULE(check_labels(rule, labels));
  TESSERA_RULE(check_groups(rule, labels, sizes));
  std::vector<Index> spatial;
  for (const Index dim : labels.input_spatial) spatial.push_back(rule.dims(0)[static_cast<std::size_t>(dim)]);
  std::vector<Index> places;
  TESSERA_RULE(windowed_dims(rule, window, spatial, places));
  for (std::size_t i = 0; i < window.size(); ++i) {
    const Index kernel = rule.dims(1)[static_cast<std::size_t>(labels.kernel_spatial[i])];
    if (window[i].size == kernel) continue;
    return rule.wrong(
        Code::shape_mismatch,
        fmt::format("window dimension {} has size {}, but the kernel has {}", i, window[i].size, kernel),
        window_span(rule.instruction(), "size", i));
  }
  std::vector<Index> dims(labels.output_rank, 1);  // a dimension without a role has extent 1
  dims[static_cast<std::size_t>(labels.output_batch)] =
      rule.dims(0)[static_cast<std::size_t>(labels.input_batch)] / batch_groups;
  dims[static_cast<std::size_t>(labels.output_feature)] =
      rule.dims(1)[static_cast<std::size_t>(labels.kernel_output_feature)];
  for (std::size_t i = 0; i < places.size(); ++i)
    dims[static_cast<std::size_t>(labels.output_spatial[i])] = places[i];
  // Sums may have any element type, so the written one is used.
  if (rule.written_type() == nullptr) return rule.gives(rule.dtype(0), std::move(dims));
  return rule.gives_dims(std::move(dims));
}

}  // namespace

Problem check_contraction(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::dot:
      TESSERA_RULE(rule.operand_count_is(2));
      TESSERA_RULE(rule.operands_are_arrays());
      return check_dot_dims(rule);
    case Opcode::scaled_dot:
      TESSERA_RULE(rule.operand_count_is(4));
      TESSERA_RULE(rule.operands_are_arrays());
      TESSERA_RULE(check_scale(rule, 2));
      TESSERA_RULE(check_scale(rule, 3));
      return check_dot_dims(rule);
    case Opcode::ragged_dot:
      return check_ragged_dot(rule);
    default:
      return check_convolution(rule);
  }
}

}  // namespace tessera::detail
