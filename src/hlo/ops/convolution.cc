// SPDX-License-Identifier: Apache-2.0
/// \file
/// convolution(input, kernel): windows over the spatial dimensions, features summed within their group.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/check/windowed_dims.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "hlo/ops/window.h"

namespace tessera::detail {
namespace {

// As in XLA, the map of the kernel lacks the constraints of the map of the input.
constexpr const char* kKernelReason =
    "includes kernel elements that meet only padding or the gaps of a dilated input";

Problem check_labels(const OpReader& reader, const ConvolutionDims& labels) {
  const auto check_rank = [&](const char* what, std::size_t rank, std::size_t wanted) -> Problem {
    if (rank == wanted) return std::nullopt;
    return reader.wrong_attribute(Code::rank_mismatch, "dim_labels",
                                  fmt::format("'dim_labels' names {} of the {}, which has {}",
                                              plural(rank, "dimension"), what, wanted));
  };
  TESSERA_RULE(check_rank("input", labels.input_rank, reader.dims(0).size()));
  TESSERA_RULE(check_rank("kernel", labels.kernel_rank, reader.dims(1).size()));
  if (labels.input_spatial.size() != labels.kernel_spatial.size() ||
      labels.input_spatial.size() != labels.output_spatial.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "dim_labels",
        fmt::format("'dim_labels' has {}, {} and {} spatial dimensions for input, kernel and output",
                    labels.input_spatial.size(), labels.kernel_spatial.size(), labels.output_spatial.size()));
  }
  if (labels.input_batch < 0 || labels.input_feature < 0 || labels.kernel_input_feature < 0 ||
      labels.kernel_output_feature < 0 || labels.output_batch < 0 || labels.output_feature < 0) {
    return reader.wrong_attribute(Code::bad_attribute, "dim_labels",
                                  "'dim_labels' needs b and f for input and output, i and o for the kernel");
  }
  // A dimension without a role has extent 1.
  const auto plays = [](const std::vector<Index>& spatial, Index one, Index other, std::size_t dim) {
    const auto d = static_cast<Index>(dim);
    return d == one || d == other || std::ranges::find(spatial, d) != spatial.end();
  };
  for (std::size_t operand = 0; operand < 2; ++operand) {
    for (std::size_t i = 0; i < reader.dims(operand).size(); ++i) {
      const bool role =
          operand == 0
              ? plays(labels.input_spatial, labels.input_batch, labels.input_feature, i)
              : plays(labels.kernel_spatial, labels.kernel_input_feature, labels.kernel_output_feature, i);
      if (role || reader.dims(operand)[i] == 1) continue;
      return reader.wrong_attribute(
          Code::bad_attribute, "dim_labels",
          fmt::format("dimension {} of the {} is labeled '?', so its extent must be 1, not {}", i,
                      operand == 0 ? "input" : "kernel", reader.dims(operand)[i]));
    }
  }
  return std::nullopt;
}

Problem check_feature_groups(const OpReader& reader, const ConvolutionOp& op) {
  const auto at = [&](std::size_t operand, Index dim) {
    return reader.dims(operand)[static_cast<std::size_t>(dim)];
  };
  const Index features = at(0, op.dims.input_feature);
  const Index batch = at(0, op.dims.input_batch);
  const Index kernel_in = at(1, op.dims.kernel_input_feature);
  const Index kernel_out = at(1, op.dims.kernel_output_feature);
  if (op.feature_groups < 1 || op.batch_groups < 1) {
    return reader.wrong_attribute(Code::bad_attribute,
                                  op.feature_groups < 1 ? "feature_group_count" : "batch_group_count",
                                  "the number of groups must be at least 1");
  }
  if (op.feature_groups > 1 && op.batch_groups > 1) {
    return reader.wrong_attribute(Code::bad_attribute, "batch_group_count",
                                  "a convolution has groups of features or groups of batches, not both");
  }
  if (features % op.feature_groups != 0 || kernel_in != features / op.feature_groups) {
    return reader.wrong_operand(
        Code::shape_mismatch, 1,
        fmt::format("the kernel has {}, but {} features of the input in {} make {}",
                    plural(static_cast<std::size_t>(kernel_in), "input feature"), features,
                    plural(static_cast<std::size_t>(op.feature_groups), "group"),
                    features / op.feature_groups));
  }
  if (kernel_out % op.feature_groups != 0 || kernel_out % op.batch_groups != 0) {
    return reader.wrong_operand(
        Code::shape_mismatch, 1,
        fmt::format("the {} output features of the kernel cannot be split evenly into {} and {}", kernel_out,
                    plural(static_cast<std::size_t>(op.feature_groups), "feature group"),
                    plural(static_cast<std::size_t>(op.batch_groups), "batch group")));
  }
  if (batch % op.batch_groups != 0) {
    return reader.wrong_attribute(Code::shape_mismatch, "batch_group_count",
                                  fmt::format("a batch of {} cannot be split evenly into {}", batch,
                                              plural(static_cast<std::size_t>(op.batch_groups), "group")));
  }
  return std::nullopt;
}

Problem read_convolution(const OpReader& reader, ConvolutionOp& op) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(labels, reader.dim_labels());
  TESSERA_READ(window, reader.window());
  TESSERA_READ(feature_groups, reader.integer("feature_group_count", 1));
  TESSERA_READ(batch_groups, reader.integer("batch_group_count", 1));
  TESSERA_RULE(check_labels(reader, labels));
  op.dims = labels;
  op.feature_groups = feature_groups;
  op.batch_groups = batch_groups;
  TESSERA_RULE(check_feature_groups(reader, op));
  std::vector<Index> spatial;
  for (const Index dim : labels.input_spatial) spatial.push_back(reader.dims(0)[as_size(dim)]);
  std::vector<Index> places;
  TESSERA_RULE(windowed_dims(reader, window, spatial, places));
  for (std::size_t i = 0; i < window.size(); ++i) {
    const Index kernel = reader.dims(1)[as_size(labels.kernel_spatial[i])];
    if (window[i].size == kernel) continue;
    return reader.wrong(
        Code::shape_mismatch,
        fmt::format("window dimension {} has size {}, but the kernel has {}", i, window[i].size, kernel),
        window_span(reader.instruction(), "size", i));
  }
  std::vector<Index> dims(labels.output_rank, 1);  // a dimension without a role has extent 1
  dims[as_size(labels.output_batch)] = reader.dims(0)[as_size(labels.input_batch)] / batch_groups;
  dims[as_size(labels.output_feature)] = reader.dims(1)[as_size(labels.kernel_output_feature)];
  for (std::size_t i = 0; i < places.size(); ++i) dims[as_size(labels.output_spatial[i])] = places[i];
  TESSERA_RULE(read_axes(reader, window, spatial, places, op.axes));
  const auto varies = [&](std::size_t operand, Index dim) {
    return reader.is_dynamic(operand, as_size(dim));
  };
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    op.axes[i].dynamic = varies(0, labels.input_spatial[i]);
    op.window_varies = op.window_varies || varies(1, labels.kernel_spatial[i]);
  }
  const bool features_vary[] = {varies(0, labels.input_feature), varies(1, labels.kernel_input_feature)};
  for (std::size_t i = 0; i < 2; ++i) op.ends_at_other[i] = !features_vary[i] && features_vary[1 - i];
  op.group_input_features = reader.dims(1)[as_size(labels.kernel_input_feature)];
  op.group_output_features = dims[as_size(labels.output_feature)] / std::max(feature_groups, batch_groups);
  op.output_batch = dims[as_size(labels.output_batch)];
  op.groups_vary = (feature_groups > 1 && varies(0, labels.input_feature)) ||
                   (batch_groups > 1 && varies(0, labels.input_batch)) ||
                   (std::max(feature_groups, batch_groups) > 1 && varies(1, labels.kernel_output_feature));
  // Sums may have any element type, so the written one is used.
  if (reader.written_type() == nullptr) return reader.gives(reader.dtype(0), dims);
  return reader.gives_dims(dims);
}

// One range variable for each spatial dimension of the kernel and one for the input feature of the group,
// shared by both operands; those with one value are omitted.
struct Reduction {
  std::vector<Expr> spatial;
  Expr feature;
};

Reduction declare_reduction(MapBuilder& map, const ConvolutionOp& c) {
  Reduction r;
  for (const WindowAxis& axis : c.axes) r.spatial.push_back(window_element(map, axis.window));
  if (c.group_input_features != 1) r.feature = map.range(c.group_input_features);
  return r;
}

// The finished map of the input or the kernel. As in a dot, a sum over input features of which only the
// others are dynamic ends at their size; `feature`: the index of this operand's. `open`: a size without a
// name matters.
Indexing ended(MapBuilder map, const ConvolutionOp& c, std::size_t operand, std::vector<Expr> results,
               Expr feature, MapBuilder::Simplification simplification, bool open = false) {
  open = open || (operand == 0 && c.window_varies);
  if (c.ends_at_other[operand]) {
    const std::string_view size = c.operand_size(
        1 - operand, as_size(operand == 0 ? c.dims.kernel_input_feature : c.dims.input_feature));
    // In several groups, the size of the input is not that of a group.
    open = open || size.empty() || c.feature_groups > 1;
    if (!open) map.end_at_size(feature, size, c.group_input_features);
    if (operand == 1) simplification = MapBuilder::Simplification::preserve_points;
  }
  if (open) return std::move(map).superset(std::move(results), kSizeIsData, simplification);
  return std::move(map).build(std::move(results), simplification);
}

IndexingSet output_to_data(const OpQuery& q, const ConvolutionOp& c) {
  MapBuilder map(q.out());
  const Reduction r = declare_reduction(map, c);
  if (std::ranges::find(q.in(), 0) != q.in().end()) map.nothing();
  const Expr feature = map.dim(as_size(c.dims.output_feature));
  const Expr batch = map.dim(as_size(c.dims.output_batch));
  std::vector<Expr> results(q.in().size());
  for (std::size_t i = 0; i < c.axes.size(); ++i) {
    results[as_size(c.dims.input_spatial[i])] =
        c.axes[i].input_of(map, map.dim(as_size(c.dims.output_spatial[i])), r.spatial[i]);
  }
  if (c.feature_groups > 1 && c.group_output_features > 0) {
    results[as_size(c.dims.input_feature)] =
        floor_div(feature, c.group_output_features) * c.group_input_features + r.feature;
  } else {
    results[as_size(c.dims.input_feature)] = r.feature;
  }
  if (c.batch_groups > 1 && c.group_output_features > 0) {
    results[as_size(c.dims.input_batch)] =
        floor_div(feature, c.group_output_features) * c.output_batch + batch;
  } else {
    results[as_size(c.dims.input_batch)] = batch;
  }
  return just(
      ended(std::move(map), c, 0, std::move(results), r.feature, MapBuilder::Simplification::replace_points));
}

IndexingSet output_to_kernel(const OpQuery& q, const ConvolutionOp& c) {
  MapBuilder map(q.out());
  const Reduction r = declare_reduction(map, c);
  if (std::ranges::find(q.dims_of(0), 0) != q.dims_of(0).end()) map.nothing();
  std::vector<Expr> results(q.in().size());
  for (std::size_t i = 0; i < c.axes.size(); ++i) {
    const WindowDim& w = c.axes[i].window;
    results[as_size(c.dims.kernel_spatial[i])] =
        w.reversed && w.size > 1 ? -r.spatial[i] + (w.size - 1) : r.spatial[i];
  }
  results[as_size(c.dims.kernel_input_feature)] = r.feature;
  results[as_size(c.dims.kernel_output_feature)] = map.dim(as_size(c.dims.output_feature));
  Indexing indexing =
      ended(std::move(map), c, 1, std::move(results), r.feature, MapBuilder::Simplification::none);
  if (!c.always_inside()) indexing = as_superset(std::move(indexing), kKernelReason);
  return just(std::move(indexing));
}

IndexingSet data_to_output(const OpQuery& q, const ConvolutionOp& c) {
  MapBuilder map(q.in());
  std::vector<Expr> elements;
  for (const WindowAxis& axis : c.axes) elements.push_back(window_element(map, axis.window));
  if (std::ranges::find(q.out(), 0) != q.out().end()) map.nothing();
  const Expr member = c.group_output_features == 1 ? Expr() : map.range(c.group_output_features);
  const Expr feature = map.dim(as_size(c.dims.input_feature));
  const Expr batch = map.dim(as_size(c.dims.input_batch));
  std::vector<Expr> results(q.out().size());
  for (std::size_t i = 0; i < c.axes.size(); ++i) {
    results[as_size(c.dims.output_spatial[i])] =
        c.axes[i].output_of(map, map.dim(as_size(c.dims.input_spatial[i])), elements[i]);
  }
  Expr group;  // of the input element
  results[as_size(c.dims.output_batch)] = batch;
  if (c.feature_groups > 1 && c.group_input_features > 0) group = floor_div(feature, c.group_input_features);
  if (c.batch_groups > 1 && c.output_batch > 0) {
    group = floor_div(batch, c.output_batch);
    results[as_size(c.dims.output_batch)] = mod(batch, c.output_batch);
  }
  results[as_size(c.dims.output_feature)] = group * c.group_output_features + member;
  return just(
      ended(std::move(map), c, 0, std::move(results), feature, MapBuilder::Simplification::replace_points));
}

// All batches, at the spatial positions where this kernel element falls on an element of the input.
IndexingSet kernel_to_output(const OpQuery& q, const ConvolutionOp& c) {
  MapBuilder map(q.in());
  if (std::ranges::find(q.dims_of(0), 0) != q.dims_of(0).end()) map.nothing();
  std::vector<Expr> results(q.out().size());
  bool open = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_feature = i == as_size(c.dims.output_feature);
    results[i] = is_feature ? map.dim(as_size(c.dims.kernel_output_feature)) : map.range(q.out()[i]);
  }
  for (std::size_t i = 0; i < c.axes.size(); ++i) {
    const WindowDim& w = c.axes[i].window;
    const Expr place = map.dim(as_size(c.dims.kernel_spatial[i]));
    const Expr element = w.size == 1 ? Expr() : w.reversed ? -place + (w.size - 1) : place;
    const Expr at = c.axes[i].input_of(map, results[as_size(c.dims.output_spatial[i])], element);
    if (!c.axes[i].dynamic || c.axes[i].always_inside()) continue;
    // Beyond the size of the input is padding.
    const std::string_view size = c.operand_size(0, as_size(c.dims.input_spatial[i]));
    open = open || size.empty();
    if (!size.empty()) map.end_at_size(at, size, c.axes[i].in);
  }
  const Expr feature = map.dim(as_size(c.dims.kernel_input_feature));
  return just(ended(std::move(map), c, 1, std::move(results), feature,
                    MapBuilder::Simplification::replace_points, open));
}

IndexingSet conv_to_input(const OpQuery& q, const ConvolutionOp& c) {
  if (q.operand == 0 && c.groups_vary) return just(as_superset(whole_indexing(q.out(), q.in()), kSizeIsData));
  return q.operand == 0 ? output_to_data(q, c) : output_to_kernel(q, c);
}

IndexingSet conv_to_output(const OpQuery& q, const ConvolutionOp& c) {
  if (q.operand == 0 && c.groups_vary) return just(as_superset(whole_indexing(q.in(), q.out()), kSizeIsData));
  return q.operand == 0 ? data_to_output(q, c) : kernel_to_output(q, c);
}

bool convolved(const OpQuery& q, bool to_input, std::size_t dim) {
  const auto& c = static_cast<const ConvolutionOp&>(*q.facts.value());
  if (to_input && q.operand == 1) return false;
  const std::vector<Index>& spatial = to_input ? c.dims.input_spatial : c.dims.output_spatial;
  const auto found = std::ranges::find(spatial, static_cast<Index>(dim));
  return found != spatial.end() && !c.axes[as_size(found - spatial.begin())].is_identity();
}

}  // namespace

constinit const OpRule kConvolutionRule =
    family_rule<ConvolutionOp, read_convolution, conv_to_input, conv_to_output>({.changes_size = convolved});

}  // namespace tessera::detail
