// SPDX-License-Identifier: Apache-2.0
/// \file
/// convolution(input, kernel): windows over the spatial dimensions, features summed within their group.
#include <algorithm>

#include "hlo/module/as_size.h"
#include "hlo/ops/checked.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/window.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// As in XLA, the map of the kernel lacks the constraints of the map of the input.
constexpr const char* kKernelReason =
    "includes kernel elements that meet only padding or the gaps of a dilated input";

struct Convolution {
  ConvolutionDims dims;
  std::vector<WindowAxis> axes = {};  // by spatial dimension
  Index group_input_features = 1;     // per feature group: the kernel's input features
  Index group_output_features = 1;    // per feature group or batch group
  Index feature_groups = 1;
  Index batch_groups = 1;
  Index output_batch = 1;

  // Whether no kernel element of any output falls on padding.
  bool always_inside() const {
    return std::ranges::all_of(axes, [](const WindowAxis& axis) { return axis.always_inside(); });
  }
};

Result<Convolution> read_convolution(const OpQuery& q) {
  const auto mismatch = [] {
    return fail(Code::shape_mismatch,
                "the convolution's dimensions, window or groups do not match the shapes of its operands and "
                "result");
  };
  if (q.op.operands.size() != 2) return fail(Code::operand_count, "a convolution needs two operands");
  auto dims = dim_labels_of(q.op);
  if (!dims) return Failure(dims.error());
  const auto window = window_of(q.op);
  if (!window) return Failure(window.error());
  const auto feature_groups = int_of(q.op, "feature_group_count", 1);
  if (!feature_groups) return Failure(feature_groups.error());
  const auto batch_groups = int_of(q.op, "batch_group_count", 1);
  if (!batch_groups) return Failure(batch_groups.error());

  const auto in = q.dims_of(0);
  const auto kernel = q.dims_of(1);
  const auto out = q.out();
  const std::size_t spatial = window->size();
  const auto labelled = [](Index batch, Index feature, const std::vector<Index>& places, std::size_t rank) {
    return rank == places.size() + 2 && batch >= 0 && feature >= 0 &&
           std::ranges::find(places, -1) == places.end();
  };
  const ConvolutionDims& d = *dims;
  if (d.input_rank != in.size() || d.kernel_rank != kernel.size() || d.output_rank != out.size() ||
      d.input_spatial.size() != spatial || d.kernel_spatial.size() != spatial ||
      d.output_spatial.size() != spatial ||
      !labelled(d.input_batch, d.input_feature, d.input_spatial, in.size()) ||
      !labelled(d.kernel_input_feature, d.kernel_output_feature, d.kernel_spatial, kernel.size()) ||
      !labelled(d.output_batch, d.output_feature, d.output_spatial, out.size())) {
    return mismatch();
  }
  Convolution c{.dims = d, .feature_groups = *feature_groups, .batch_groups = *batch_groups};
  for (std::size_t i = 0; i < spatial; ++i) {
    c.axes.push_back({in[as_size(d.input_spatial[i])], out[as_size(d.output_spatial[i])], (*window)[i]});
    if (!c.axes.back().valid() || (*window)[i].size != kernel[as_size(d.kernel_spatial[i])])
      return mismatch();
  }
  const Index output_features = out[as_size(d.output_feature)];
  c.group_input_features = kernel[as_size(d.kernel_input_feature)];
  c.output_batch = out[as_size(d.output_batch)];
  if (c.feature_groups < 1 || c.batch_groups < 1 || (c.feature_groups > 1 && c.batch_groups > 1))
    return mismatch();
  const Index groups = std::max(c.feature_groups, c.batch_groups);
  const Checked input_features = Checked(c.group_input_features) * c.feature_groups;
  const Checked input_batch = Checked(c.output_batch) * c.batch_groups;
  if (output_features % groups != 0 || kernel[as_size(d.kernel_output_feature)] != output_features ||
      !input_features.valid() || input_features.value() != in[as_size(d.input_feature)] ||
      !input_batch.valid() || input_batch.value() != in[as_size(d.input_batch)]) {
    return mismatch();
  }
  c.group_output_features = output_features / groups;
  return c;
}

// One range variable for each spatial dimension of the kernel and one for the input feature of the group,
// shared by both operands; those with one value are omitted.
struct Reduction {
  std::vector<Expr> spatial;
  Expr feature;
};

Reduction declare_reduction(MapBuilder& map, const Convolution& c) {
  Reduction r;
  for (const WindowAxis& axis : c.axes) r.spatial.push_back(window_element(map, axis.window));
  if (c.group_input_features != 1) r.feature = map.range(c.group_input_features);
  return r;
}

IndexingSet output_to_data(const OpQuery& q, const Convolution& c) {
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
  return just(std::move(map).build(std::move(results), MapBuilder::Simplification::replace_points));
}

IndexingSet output_to_kernel(const OpQuery& q, const Convolution& c) {
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
  Indexing indexing = std::move(map).build(std::move(results));
  if (!c.always_inside()) indexing = as_superset(std::move(indexing), kKernelReason);
  return just(std::move(indexing));
}

IndexingSet data_to_output(const OpQuery& q, const Convolution& c) {
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
  return just(std::move(map).build(std::move(results), MapBuilder::Simplification::replace_points));
}

// All batches, at the spatial positions where this kernel element falls on an element of the input.
IndexingSet kernel_to_output(const OpQuery& q, const Convolution& c) {
  MapBuilder map(q.in());
  if (std::ranges::find(q.dims_of(0), 0) != q.dims_of(0).end()) map.nothing();
  std::vector<Expr> results(q.out().size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_feature = i == as_size(c.dims.output_feature);
    results[i] = is_feature ? map.dim(as_size(c.dims.kernel_output_feature)) : map.range(q.out()[i]);
  }
  for (std::size_t i = 0; i < c.axes.size(); ++i) {
    const WindowDim& w = c.axes[i].window;
    const Expr place = map.dim(as_size(c.dims.kernel_spatial[i]));
    const Expr element = w.size == 1 ? Expr() : w.reversed ? -place + (w.size - 1) : place;
    c.axes[i].input_of(map, results[as_size(c.dims.output_spatial[i])], element);
  }
  return just(std::move(map).build(std::move(results), MapBuilder::Simplification::replace_points));
}

IndexingSet conv_to_input(const OpQuery& q) {
  const auto c = read_convolution(q);
  if (!c) return unknown_set(c.error());
  return q.operand == 0 ? output_to_data(q, *c) : output_to_kernel(q, *c);
}

IndexingSet conv_to_output(const OpQuery& q) {
  const auto c = read_convolution(q);
  if (!c) return unknown_set(c.error());
  return q.operand == 0 ? data_to_output(q, *c) : kernel_to_output(q, *c);
}

}  // namespace

constinit const OpRule kConvolutionRule{conv_to_input, conv_to_output};

}  // namespace tessera::detail
