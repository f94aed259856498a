// SPDX-License-Identifier: Apache-2.0
#include "reshard/parts/even_digits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "notation/not_representable.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

Failure uneven(std::size_t dim) {
  return not_representable("sizes", fmt::format("dimension {} is not cut into equal digits", dim));
}

// A digit of a dimension; without an axis it is still part of the local index.
using Chain = std::vector<MeshDigit>;

// Splits the local digits of a chain so that one begins at `weight` of the local index. False if it cannot.
bool split_at(Chain& chain, Index weight) {
  Index below = 1;
  for (std::size_t k = chain.size(); k-- > 0;) {
    if (chain[k].axis) continue;
    if (below == weight) return true;
    const Index extent = chain[k].extent;
    if (below * extent > weight) {
      if (weight % below != 0 || extent % (weight / below) != 0) return false;
      MeshDigit low = chain[k];
      low.extent = weight / below;
      chain[k].extent = extent / low.extent;
      chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(k) + 1, low);
      return true;
    }
    below *= extent;
  }
  return below == weight;
}

// Gives the local digits from `low` to `low * parts` of the local index to the axes of a cut, minor one last.
bool give(Chain& chain, const std::vector<MeshAxis>& mesh, const std::vector<std::size_t>& axes, Index low) {
  Index weight = low;
  if (!split_at(chain, weight)) return false;
  std::vector<std::pair<std::size_t, Index>> borders;  // the axis that ends at a weight
  for (std::size_t a = axes.size(); a-- > 0;) {
    weight *= mesh[axes[a]].size;
    if (!split_at(chain, weight)) return false;
    borders.emplace_back(axes[a], weight);
  }
  Index below = 1;
  std::size_t current = 0;
  Index begin = low;
  for (std::size_t k = chain.size(); k-- > 0;) {
    if (chain[k].axis) continue;
    while (current < borders.size() && below >= borders[current].second) begin = borders[current++].second;
    const Index extent = chain[k].extent;
    if (below >= low && current < borders.size()) {
      chain[k].axis = borders[current].first;
      chain[k].stride = below / begin;
    }
    below *= extent;
  }
  return true;
}

bool cut_evenly(Chain& chain, const std::vector<MeshAxis>& mesh, const DimCut& cut) {
  Index n = 1;
  for (const MeshDigit& digit : chain) n *= digit.axis ? 1 : digit.extent;
  Index parts = 1;
  for (const std::size_t axis : cut.axes) parts *= mesh[axis].size;
  switch (cut.rule) {
    case CutRule::ceil:
      return n % parts == 0 && give(chain, mesh, cut.axes, n / parts);
    case CutRule::cyclic:
      return cut.start == 0 && n / parts >= cut.size && n % (cut.size * parts) == 0 &&
             give(chain, mesh, cut.axes, cut.size);
    case CutRule::sizes:
      return n % parts == 0 &&
             std::ranges::all_of(cut.sizes, [&](Index size) { return size == n / parts; }) &&
             give(chain, mesh, cut.axes, n / parts);
    case CutRule::strided:
    case CutRule::strided_padded:
      return n % cut.size == 0 && (n / cut.size) % parts == 0 &&
             give(chain, mesh, cut.axes, n / cut.size / parts);
  }
  return false;
}

}  // namespace

PlaceMesh numbered_mesh(const BoundDistribution& bound) {
  const Distribution& from = bound.distribution();
  PlaceMesh mesh = from.mesh;
  if (from.everywhere) {
    const Index count = from.on.empty() ? bound.places() : static_cast<Index>(from.on.size());
    mesh = *make_mesh({{"r0", count}}, {});
  }
  if (from.on.empty()) return mesh;
  for (Index& place : mesh.places) place = from.on[static_cast<std::size_t>(place)];
  return mesh;
}

Result<Layout> local_layout(const BoundDistribution& bound, Index place) {
  const LocalLayout& local = bound.distribution().local;
  const LocalBuffer buffer = bound.local_buffer(place);
  if (local.storage == LocalLayout::Storage::layout) return *local.layout;
  if (buffer.strides()) return Layout::make(Strides{*bound.local_shape(place), *buffer.strides(), 0});
  if (local.padded) {
    return not_representable("padding", "the local arrays have tiles and are padded to the largest one");
  }
  TESSERA_TRY(type, TensorType::make(DType::u8, *bound.local_shape(place), local.tiled));
  return Layout::make(std::move(type));
}

Result<EvenDigits> even_digits(const BoundDistribution& bound) {
  const Distribution& from = bound.distribution();
  const PlaceMesh mesh = numbered_mesh(bound);
  EvenDigits out;
  out.axes = mesh.axes;
  std::vector<bool> used(mesh.axes.size(), false);
  std::vector<std::vector<DimCut>> cuts(bound.shape().size());
  for (const DimCut& cut : from.cuts) {
    const Index dim = cut.dim < 0 ? cut.dim + static_cast<Index>(cuts.size()) : cut.dim;
    cuts[static_cast<std::size_t>(dim)].push_back(cut);
    for (const std::size_t axis : cut.axes) used[axis] = true;
  }
  for (std::size_t a = 0; a < used.size(); ++a) {
    if (!used[a]) out.free_axes.push_back(a);
  }
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    const Index extent = bound.shape()[d];
    if (extent == 0) return uneven(d);
    std::ranges::stable_sort(cuts[d], {}, [](const DimCut& cut) { return cut.order.value_or(0); });
    Chain chain = {{extent, {}, 0}};
    for (const DimCut& cut : cuts[d]) {
      if (!cut_evenly(chain, mesh.axes, cut)) return uneven(d);
    }
    out.dims.push_back(std::move(chain));
  }
  // The digits that are left count the local index, and the local layout gives them strides.
  TESSERA_TRY(local, local_layout(bound, mesh.places[0]));
  TESSERA_TRY(digits, to_digits(local));
  out.offset = digits.base();
  for (std::size_t d = 0; d < out.dims.size(); ++d) {
    Chain& chain = out.dims[d];
    for (const Digit& digit : digits.digits(d)) {
      if (!split_at(chain, digit.div))
        return not_representable("entangled", "the digits of the local layout are not those of the cuts");
    }
    Index below = 1;
    for (std::size_t k = chain.size(); k-- > 0;) {
      if (chain[k].axis) continue;
      for (const Digit& digit : digits.digits(d)) {
        if (below >= digit.div && below < digit.div * digit.ext)
          chain[k].stride = digit.stride * (below / digit.div);
      }
      below *= chain[k].extent;
    }
  }
  return out;
}

}  // namespace tessera::detail
