// SPDX-License-Identifier: Apache-2.0
// Operations with sums, windows and products.
#include <fmt/format.h>

#include <algorithm>

#include "laws/hlo_cases.h"

namespace tessera::laws {

std::string HloCases::reduce() {
  const Dims in = dims(pick(0, 3), pick(0, 9) == 0 ? 0 : 1);
  Dims reduced = some(static_cast<Index>(in.size()));
  Dims out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (std::ranges::find(reduced, static_cast<Index>(i)) == reduced.end()) out.push_back(in[i]);
  }
  std::shuffle(reduced.begin(), reduced.end(), random_);
  return program({f32(in), "f32[]"}, f32(out), "reduce",
                 fmt::format("dimensions={}, to_apply=f", braces(reduced)), kAdd);
}

std::string HloCases::variadic_reduce() {
  const Dims in = dims(2);
  const std::string attributes = "dimensions={1}, to_apply=f";
  const Dims out = {in[0]};
  return program({f32(in), array("s32", in), "f32[]", "s32[]"},
                 fmt::format("({}, {})", f32(out), array("s32", out)), "reduce", attributes, kArgMax);
}

HloCases::WindowText HloCases::window(const Dims& in, bool dilated, bool padded, Dims sizes, bool reversal) {
  std::vector<std::string> size, stride, pads, lhs, rhs, reversed;
  Dims out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Index k = sizes.empty() ? pick(1, 3) : sizes[i];
    const Index step = pick(1, 3);
    const Index lhs_dilate = dilated ? pick(1, 3) : 1, rhs_dilate = dilated ? pick(1, 2) : 1;
    const Index low = padded ? pick(-1, 2) : 0, high = padded ? pick(-1, 2) : 0;
    const Index padded_extent = (in[i] - 1) * lhs_dilate + 1 + low + high;
    const Index covered = (k - 1) * rhs_dilate + 1;
    if (padded_extent < 0) return window(in, dilated, padded, sizes, reversal);
    out.push_back(padded_extent < covered ? 0 : (padded_extent - covered) / step + 1);
    size.push_back(fmt::format("{}", k));
    stride.push_back(fmt::format("{}", step));
    pads.push_back(fmt::format("{}_{}", low, high));
    lhs.push_back(fmt::format("{}", lhs_dilate));
    rhs.push_back(fmt::format("{}", rhs_dilate));
    reversed.push_back(coin() ? "1" : "0");
  }
  if (in.empty()) return {"window={}", {}};
  // Rarely generate windows that fit nowhere.
  if (std::ranges::find(out, 0) != out.end() && pick(0, 9) > 0)
    return window(in, dilated, padded, sizes, reversal);
  std::string text = fmt::format("window={{size={} stride={}", fmt::join(size, "x"), fmt::join(stride, "x"));
  if (padded) text += fmt::format(" pad={}", fmt::join(pads, "x"));
  if (dilated) text += fmt::format(" lhs_dilate={} rhs_dilate={}", fmt::join(lhs, "x"), fmt::join(rhs, "x"));
  if (reversal) text += fmt::format(" rhs_reversal={}", fmt::join(reversed, "x"));
  return {text + "}", out};
}

std::string HloCases::reduce_window() {
  const Dims in = dims(pick(1, 2), 1, 5);
  const WindowText w = window(in, coin(), coin());
  if (pick(0, 3) == 0) {
    return program({f32(in), array("s32", in), "f32[]", "s32[]"},
                   fmt::format("({}, {})", f32(w.out), array("s32", w.out)), "reduce-window",
                   w.text + ", to_apply=f", kArgMax);
  }
  return program({f32(in), "f32[]"}, f32(w.out), "reduce-window", w.text + ", to_apply=f", kAdd);
}

std::string HloCases::select_and_scatter() {
  const Dims in = dims(pick(1, 2), 1, 5);
  const WindowText w = window(in, false, coin());
  return program({f32(in), f32(w.out), "f32[]"}, f32(in), "select-and-scatter",
                 w.text + ", select=g, scatter=f", fmt::format("{}{}", kAdd, kSelect));
}

std::string HloCases::convolution() {
  const Index spatial = pick(0, 2);
  const Dims in_spatial = dims(spatial, 1, 4);
  const Dims kernel_spatial = dims(spatial, 1, 3);
  const WindowText w = window(in_spatial, coin(), coin(), kernel_spatial, coin());
  const Index feature_groups = pick(0, 2) == 0 ? pick(2, 3) : 1;
  const Index batch_groups = feature_groups == 1 && pick(0, 2) == 0 ? 2 : 1;
  const Index batch = pick(1, 2), group_in = pick(1, 2), group_out = pick(1, 2);
  const Index out_features = group_out * std::max(feature_groups, batch_groups);
  const auto labelled = [&](char first, char second, Index a, Index b, const Dims& sizes,
                            std::string& labels) {
    const Dims order = permutation(spatial + 2);
    Dims d;
    for (const Index i : order) {
      labels += i == 0 ? first : i == 1 ? second : static_cast<char>('0' + i - 2);
      d.push_back(i == 0 ? a : i == 1 ? b : sizes[at(i - 2)]);
    }
    return d;
  };
  std::string in_labels, kernel_labels, out_labels;
  const Dims in = labelled('b', 'f', batch * batch_groups, group_in * feature_groups, in_spatial, in_labels);
  const Dims kernel = labelled('i', 'o', group_in, out_features, kernel_spatial, kernel_labels);
  const Dims out = labelled('b', 'f', batch, out_features, w.out, out_labels);
  std::string attributes =
      fmt::format("{}, dim_labels={}_{}->{}", w.text, in_labels, kernel_labels, out_labels);
  if (feature_groups > 1) attributes += fmt::format(", feature_group_count={}", feature_groups);
  if (batch_groups > 1) attributes += fmt::format(", batch_group_count={}", batch_groups);
  return program({f32(in), f32(kernel)}, f32(out), "convolution", attributes);
}

std::string HloCases::dot() {
  const Dims batch = dims(pick(0, 1)), contracted = dims(pick(0, 2), 1, 3), lhs_free = dims(pick(0, 2), 1, 3),
             rhs_free = dims(pick(0, 1));
  const auto side = [&](const Dims& free, Dims& batch_dims, Dims& contracting_dims) {
    const Dims parts = join(join(batch, contracted), free);
    const Dims order = permutation(static_cast<Index>(parts.size()));
    Dims d(parts.size());
    batch_dims.resize(batch.size());
    contracting_dims.resize(contracted.size());
    // Free dimensions keep their order.
    Dims free_places;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i >= batch.size() + contracted.size()) free_places.push_back(order[i]);
    }
    std::ranges::sort(free_places);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_free = i >= batch.size() + contracted.size();
      const Index place = is_free ? free_places[i - batch.size() - contracted.size()] : order[i];
      d[at(place)] = parts[i];
      if (i < batch.size()) {
        batch_dims[i] = place;
      } else if (!is_free) {
        contracting_dims[i - batch.size()] = place;
      }
    }
    return d;
  };
  Dims lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
  const Dims lhs = side(lhs_free, lhs_batch, lhs_contracting);
  const Dims rhs = side(rhs_free, rhs_batch, rhs_contracting);
  return program(
      {f32(lhs), f32(rhs)}, f32(join(join(batch, lhs_free), rhs_free)), "dot",
      fmt::format("lhs_batch_dims={}, rhs_batch_dims={}, lhs_contracting_dims={}, rhs_contracting_dims={}",
                  braces(lhs_batch), braces(rhs_batch), braces(lhs_contracting), braces(rhs_contracting)));
}

std::string HloCases::scaled_dot() {
  const Index m = pick(1, 3), n = pick(1, 3), block = pick(1, 3), blocks = pick(1, 3);
  const Index k = block * blocks;
  const Index rows = coin() ? m : 1;
  return program({f32({m, k}), f32({k, n}), f32({rows, blocks}), coin() ? f32({blocks, n}) : f32({k, 1})},
                 f32({m, n}), "scaled-dot", "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
}

std::string HloCases::ragged_dot() {
  const Index groups = pick(1, 3), m = pick(1, 4), k = pick(1, 4), n = pick(1, 3), b = pick(1, 2);
  switch (pick(0, 2)) {
    case 0:
      return program(
          {f32({m, k}), f32({groups, k, n}), array("u32", {groups})}, f32({m, n}), "ragged-dot",
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}");
    case 1:
      return program({f32({m, k}), f32({k, n}), array("u32", {groups})}, f32({groups, m, n}), "ragged-dot",
                     "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}");
    default:
      return program(
          {f32({b, m, k}), f32({b, k, n}), array("u32", {groups})}, f32({b, m, n}), "ragged-dot",
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
          "lhs_ragged_dims={0}");
  }
}

}  // namespace tessera::laws
