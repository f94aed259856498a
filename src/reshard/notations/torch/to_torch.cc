// SPDX-License-Identifier: Apache-2.0
// Distributions as a DeviceMesh of PyTorch with placements.
#include "reshard/notations/torch/to_torch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/index_walk.h"
#include "base/try.h"
#include "reshard/notations/mesh/to_mesh.h"
#include "reshard/notations/torch/torch_mesh.h"
#include "reshard/notations/torch/torch_search.h"
#include "reshard/notations/xla/to_xla.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

// A dimension of the new mesh: some axes of the old one, and the cut that it makes.
struct MeshDim {
  std::vector<std::size_t> axes;
  std::optional<DimCut> cut = {};
  Index start = 0;  // the position of the part that comes first in a cyclic cut
};

Index size_of(const PlaceMesh& mesh, const MeshDim& dim) {
  Index size = 1;
  for (const std::size_t axis : dim.axes) size *= mesh.axes[axis].size;
  return size;
}

// One mesh dimension for each cut, or with `split`, for each axis of a plain cut. Cuts by other rules become
// strided ones, which the caller compares.
std::vector<MeshDim> mesh_dims(const Distribution& from, std::span<const Index> shape, bool split) {
  std::vector<MeshDim> out;
  std::vector<bool> used(from.mesh.axes.size(), false);
  std::vector<Index> extents(shape.begin(), shape.end());
  for (const DimCut& cut : from.cuts) {
    for (const std::size_t axis : cut.axes) used[axis] = true;
    MeshDim whole{cut.axes, cut};
    const Index parts = size_of(from.mesh, whole);
    Index& extent = extents[static_cast<std::size_t>(cut.dim)];
    if (cut.rule == CutRule::cyclic) {
      whole.start = cut.start;
      whole.cut->rule = CutRule::strided;
      whole.cut->size = std::max<Index>(1, ceil_div(extent, parts * cut.size));
    }
    extent = ceil_div(extent, parts);
    const bool plain = cut.rule == CutRule::ceil || cut.rule == CutRule::sizes;
    if (plain) whole.cut->rule = CutRule::ceil;
    if (!plain || !split) {
      out.push_back(std::move(whole));
      continue;
    }
    for (const std::size_t axis : cut.axes) out.push_back({{axis}, whole.cut});
  }
  for (std::size_t axis = 0; axis < used.size(); ++axis) {
    if (!used[axis]) out.push_back({{axis}});
  }
  return out;
}

// The text of a DeviceMesh with these dimensions and a placement for each.
std::string torch_text(const Distribution& from, std::vector<MeshDim> dims, bool named) {
  // Cuts of one dimension are applied in this order. The mesh keeps the order of its axes where it can.
  std::vector<Index> next(from.rank.value_or(0), 0);
  for (MeshDim& dim : dims) {
    if (dim.cut) dim.cut->order = next[static_cast<std::size_t>(dim.cut->dim)]++;
  }
  std::ranges::stable_sort(dims, {}, [](const MeshDim& dim) { return dim.axes[0]; });
  if (dims.empty()) dims.push_back({});
  TorchMesh torch;
  torch.named = named;
  std::vector<Index> extents;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    std::vector<std::string> names;
    for (const std::size_t axis : dims[k].axes) names.push_back(from.mesh.axes[axis].name);
    torch.mesh.axes.push_back({fmt::format("{}", fmt::join(names, "_")), size_of(from.mesh, dims[k])});
    extents.push_back(torch.mesh.axes.back().size);
  }
  name_axes(torch.mesh.axes);
  std::vector<Index> at(dims.size(), 0);
  do {
    std::vector<Index> old(from.mesh.axes.size(), 0);
    for (std::size_t k = 0; k < dims.size(); ++k) {
      Index rest = (at[k] + dims[k].start) % extents[k];
      for (std::size_t a = dims[k].axes.size(); a-- > 0; rest /= from.mesh.axes[dims[k].axes[a]].size)
        old[dims[k].axes[a]] = rest % from.mesh.axes[dims[k].axes[a]].size;
    }
    Index flat = 0;
    for (std::size_t a = 0; a < old.size(); ++a) flat = flat * from.mesh.axes[a].size + old[a];
    torch.mesh.places.push_back(from.mesh.places[static_cast<std::size_t>(flat)]);
  } while (next_index(at, extents));
  // Brackets give the order of the cuts of a dimension, unless it is that of the mesh.
  std::vector<Index> seen(next.size(), 0);
  std::vector<bool> ordered(next.size(), true);
  for (const MeshDim& dim : dims) {
    if (!dim.cut) continue;
    const auto d = static_cast<std::size_t>(dim.cut->dim);
    if (*dim.cut->order != seen[d]++) ordered[d] = false;
  }
  std::vector<std::string> placements;
  for (const MeshDim& dim : dims) {
    if (!dim.cut) {
      placements.emplace_back("Replicate()");
      continue;
    }
    placements.push_back(dim.cut->rule == CutRule::ceil
                             ? fmt::format("Shard(dim={})", dim.cut->dim)
                             : fmt::format("_StridedShard(dim={}, sf={})", dim.cut->dim, dim.cut->size));
    if (!ordered[static_cast<std::size_t>(dim.cut->dim)])
      placements.back() += fmt::format("[{}]", *dim.cut->order);
  }
  return fmt::format("{} [{}]", torch_mesh_text(torch), fmt::join(placements, ", "));
}

// Whether the names of the axes are worth keeping: not those that were made up for XLA or PyTorch.
bool has_names(const Distribution& from) {
  if (from.everywhere || from.notation == DistributionNotation::xla || from.mesh.axes.empty()) return false;
  return from.notation != DistributionNotation::torch || from.mesh.axes[0].name != "m0";
}

// The text as a distribution, if it is the same one.
std::optional<Distribution> if_same(const BoundDistribution& bound, const Distribution& from,
                                    const std::string& text) {
  auto out = parse_distribution(text);
  if (!out) return {};
  out->local = from.local;
  out->on = from.on;
  const auto again = bind_distribution(*out, {bound.shape().begin(), bound.shape().end()}, bound.places());
  if (!again) return {};
  const auto same = equal(bound, *again, DistributionNotion::map);
  if (!same || same->verdict != Verdict::yes) return {};
  return std::move(*out);
}

}  // namespace

Result<Distribution> to_torch(const BoundDistribution& bound) {
  const Distribution from = to_mesh(bound);
  const bool named = has_names(bound.distribution());
  for (const bool split : {true, false}) {
    if (auto found = if_same(bound, from, torch_text(from, mesh_dims(from, bound.shape(), split), named)))
      return std::move(*found);
  }
  if (const auto tiled = to_xla(bound)) {
    if (const auto again =
            bind_distribution(*tiled, {bound.shape().begin(), bound.shape().end()}, bound.places())) {
      const Distribution grid = to_mesh(*again);
      if (auto found = if_same(bound, grid, torch_text(grid, mesh_dims(grid, bound.shape(), false), false)))
        return std::move(*found);
    }
  }
  const TorchSearch search = search_torch(bound);
  if (search.text) {
    if (auto found = if_same(bound, from, *search.text)) return std::move(*found);
  }
  const std::string help = fmt::format("--to mesh can express it: {}", to_string(from));
  if (search.witness) {
    return fail(Diagnostic{.code = Code::not_representable,
                           .message = "no placements of a DeviceMesh express this (placements)",
                           .reason = "placements",
                           .witness = *search.witness,
                           .help = help});
  }
  return fail(Code::undecided, "no placements of a DeviceMesh were found that express this", {}, help);
}

}  // namespace tessera::detail
