// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/plural.h"
#include "base/try.h"
#include "reshard/limits.h"
#include "reshard/parts/run_intersection.h"
#include "reshard/place_mesh.h"
#include "tessera/reshard/distribution.h"

namespace tessera {
namespace {

std::optional<Index> checked_product(std::span<const Index> extents) {
  Index product = 1;
  for (const Index extent : extents) {
    if (mul_overflows(product, extent, product)) return {};
  }
  return product;
}

struct Resolved {
  std::vector<std::vector<DimCut>> dims;  // cuts of each dimension, in order of application
};

Result<Resolved> resolve(const Distribution& in, std::size_t rank) {
  if (in.rank && *in.rank != rank) {
    return fail(Code::rank_mismatch,
                fmt::format("the distribution is for an array of {}, but the array has {}",
                            detail::plural(*in.rank, "dimension"), rank));
  }
  if (rank < in.least_rank) {
    return fail(Code::rank_mismatch,
                fmt::format("the spec has {}, but the array has {}", detail::plural(in.least_rank, "entry"),
                            detail::plural(rank, "dimension")));
  }
  Resolved out{std::vector<std::vector<DimCut>>(rank)};
  for (DimCut cut : in.cuts) {
    const Index dim = cut.dim < 0 ? cut.dim + static_cast<Index>(rank) : cut.dim;
    if (dim < 0 || dim >= static_cast<Index>(rank)) {
      return fail(Code::dim_out_of_range,
                  fmt::format("the distribution names dimension {}, but the array has {}", cut.dim,
                              detail::plural(rank, "dimension")),
                  cut.span);
    }
    cut.dim = dim;
    out.dims[static_cast<std::size_t>(dim)].push_back(std::move(cut));
  }
  for (std::vector<DimCut>& cuts : out.dims) {
    if (std::ranges::none_of(cuts, [](const DimCut& cut) { return cut.order.has_value(); })) continue;
    std::vector<bool> seen(cuts.size(), false);
    for (const DimCut& cut : cuts) {
      if (!cut.order || *cut.order < 0 || *cut.order >= static_cast<Index>(cuts.size()) ||
          seen[static_cast<std::size_t>(*cut.order)]) {
        return fail(Code::bad_permutation,
                    fmt::format("the cuts of dimension {} must be numbered 0 to {}, each once", cut.dim,
                                cuts.size() - 1),
                    cut.span);
      }
      seen[static_cast<std::size_t>(*cut.order)] = true;
    }
    std::ranges::sort(cuts, {}, [](const DimCut& cut) { return *cut.order; });
  }
  return out;
}

Index part_count(const DimCut& cut, const PlaceMesh& mesh) {
  Index count = 1;
  for (const std::size_t axis : cut.axes) count *= mesh.axes[axis].size;
  return count;
}

// Checks what parse_distribution guarantees, for a distribution that was made in another way.
Result<void> check_mesh(const Distribution& in) {
  Index coordinates = 1;
  for (const MeshAxis& axis : in.mesh.axes) {
    if (axis.size < 1 || mul_overflows(coordinates, axis.size, coordinates))
      return fail(Code::device_count, fmt::format("axis '{}' cannot have size {}", axis.name, axis.size));
  }
  const auto places = std::ssize(in.mesh.places);
  if (!in.everywhere && coordinates != places)
    return fail(Code::device_count,
                fmt::format("the axes have {}, but there are {}", detail::plural(coordinates, "coordinate"),
                            detail::plural(places, "place")));
  const Index end = in.on.empty() ? kMaxPlaceNumbers : std::ssize(in.on);
  for (const Index place : in.mesh.places) {
    if (place < 0 || (place >= end && !in.on.empty()))
      return fail(Code::index_out_of_range, fmt::format("there is no place {}", place));
  }
  for (const Index place : in.on) {
    if (place < 0) return fail(Code::index_out_of_range, fmt::format("there is no place {}", place));
  }
  return {};
}

Result<void> check_cut(const DimCut& cut, const PlaceMesh& mesh) {
  for (const std::size_t axis : cut.axes) {
    if (axis >= mesh.axes.size())
      return fail(Code::index_out_of_range, fmt::format("the mesh has no axis {}", axis), cut.span);
  }
  const Index parts = part_count(cut, mesh);
  if (cut.size < 1) return fail(Code::bad_extent, fmt::format("the size {} is below 1", cut.size), cut.span);
  if (cut.start < 0 || cut.start >= parts)
    return fail(Code::index_out_of_range, fmt::format("there is no part {} of {}", cut.start, parts),
                cut.span);
  if (cut.rule != CutRule::sizes) return {};
  if (std::ssize(cut.sizes) != parts)
    return fail(
        Code::value_count,
        fmt::format("{} for {}", detail::plural(cut.sizes.size(), "size"), detail::plural(parts, "part")),
        cut.span);
  for (const Index size : cut.sizes) {
    if (size < 0) return fail(Code::negative_dim, fmt::format("the size {} is negative", size), cut.span);
  }
  return {};
}

Result<void> check_sizes(const DimCut& cut, Index n) {
  if (cut.rule != CutRule::sizes) return {};
  Index sum = 0;
  for (const Index size : cut.sizes) {
    if (add_overflows(sum, size, sum))
      return fail(Code::overflow, "the sum of the sizes does not fit in 64 bits", cut.span);
  }
  if (sum == n) return {};
  return fail(
      Code::shape_mismatch,
      fmt::format("the sizes add up to {}, but the dimension has {}", sum, detail::plural(n, "index")),
      cut.span);
}

Result<std::vector<DimPart>> parts_of(std::span<const DimCut> cuts, const PlaceMesh& mesh, Index n) {
  std::vector<DimPart> parts(1);
  parts[0].extent = n;
  if (n > 0) parts[0].runs.push_back({0, n, 1, 0, 0, 0});
  for (const DimCut& cut : cuts) {
    const Index count = part_count(cut, mesh);
    std::vector<DimPart> next;
    std::size_t runs = 0;
    std::map<Index, std::vector<DimPart>> by_extent;
    for (const DimPart& outer : parts) {
      TESSERA_NEED(check_sizes(cut, outer.extent));
      auto [inner, is_new] = by_extent.try_emplace(outer.extent);
      if (is_new) inner->second = detail::cut_parts(cut, count, outer.extent);
      for (const DimPart& part : inner->second) {
        next.push_back(detail::nested_part(outer, part));
        runs += next.back().runs.size();
        if (runs > detail::kReshardLimits.runs) {
          return fail(Code::limit,
                      fmt::format("the distribution cuts a dimension into more than {} runs",
                                  detail::kReshardLimits.runs),
                      cut.span);
        }
      }
    }
    parts = std::move(next);
  }
  return parts;
}

}  // namespace

std::optional<std::size_t> BoundDistribution::shard_of(Index place) const {
  if (place < 0 || place >= places() || shard_of_[static_cast<std::size_t>(place)] < 0) return {};
  return static_cast<std::size_t>(shard_of_[static_cast<std::size_t>(place)]);
}

std::vector<Index> BoundDistribution::shard_shape(std::size_t shard) const {
  std::vector<Index> extents(shape_.size());
  for (std::size_t d = 0; d < extents.size(); ++d)
    extents[d] = parts_[d][part({.shard = shard, .dim = d})].extent;
  return extents;
}

Index BoundDistribution::elements(std::size_t shard) const {
  Index product = 1;
  for (std::size_t d = 0; d < shape_.size(); ++d)
    product *= parts_[d][part({.shard = shard, .dim = d})].extent;
  return product;
}

std::optional<std::vector<Index>> BoundDistribution::local_shape(Index place) const {
  const auto shard = shard_of(place);
  if (!shard) return {};
  return shard_shape(*shard);
}

LocalBuffer BoundDistribution::local_buffer(Index place) const {
  return *LocalBuffer::make(distribution_.local, shard_shape(*shard_of(place)), padded_shape_);
}

Result<BoundDistribution> bind_distribution(const Distribution& distribution, std::vector<Index> shape,
                                            std::optional<Index> places) {
  for (const Index extent : shape) {
    if (extent < 0) return fail(Code::negative_dim, fmt::format("the extent {} is negative", extent));
  }
  if (!checked_product(shape)) return fail(Code::overflow, "the number of elements exceeds 64 bits");
  if (!distribution.shape.empty() && distribution.shape != shape) {
    return fail(Code::different_shape,
                fmt::format("the distribution is for an array of {}, but the array is {}",
                            fmt::join(distribution.shape, "x"), fmt::join(shape, "x")));
  }
  TESSERA_NEED(check_mesh(distribution));
  for (const DimCut& cut : distribution.cuts) TESSERA_NEED(check_cut(cut, distribution.mesh));
  TESSERA_TRY(resolved, resolve(distribution, shape.size()));
  BoundDistribution out;
  out.distribution_ = distribution;
  const std::vector<Index>& on = distribution.on;
  PlaceMesh mesh = distribution.mesh;
  if (distribution.everywhere) {
    const Index count = on.empty() ? places.value_or(1) : static_cast<Index>(on.size());
    if (count < 1)
      return fail(Code::number_range, fmt::format("a distribution needs at least 1 place, not {}", count));
    TESSERA_TRY(all, detail::make_mesh({{"r0", count}}, {}));
    mesh = std::move(all);
  }
  // `on` gives the number of each place.
  for (Index& place : mesh.places) {
    if (!on.empty()) place = on[static_cast<std::size_t>(place)];
  }
  const Index largest = *std::ranges::max_element(mesh.places);
  if (largest >= kMaxPlaceNumbers) {
    return fail(Code::limit,
                fmt::format("places have numbers less than {}, not {}", kMaxPlaceNumbers, largest), {},
                "number the places from 0");
  }
  if (places && largest >= *places) {
    return fail(
        Code::index_out_of_range,
        fmt::format("the distribution uses place {}, but the number of places is {}", largest, *places));
  }
  const Index count = places.value_or(largest + 1);
  if (count > kMaxPlaceNumbers)
    return fail(Code::limit,
                fmt::format("a distribution may have at most {} places, not {}", kMaxPlaceNumbers, count));
  out.shard_of_.assign(static_cast<std::size_t>(count), -1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    TESSERA_TRY(parts, parts_of(resolved.dims[d], mesh, shape[d]));
    out.parts_.push_back(std::move(parts));
  }
  std::size_t shards = 1;
  out.shard_strides_.resize(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    out.shard_strides_[d] = shards;
    shards *= out.parts_[d].size();
  }
  // One step along a mesh axis is a step of `axis_strides` shards. Axes that cut nothing have stride 0.
  std::vector<std::size_t> axis_strides(mesh.axes.size(), 0);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::size_t stride = out.shard_strides_[d];
    for (std::size_t c = resolved.dims[d].size(); c-- > 0;) {
      const auto& axes = resolved.dims[d][c].axes;
      for (std::size_t a = axes.size(); a-- > 0;) {
        axis_strides[axes[a]] = stride;
        stride *= static_cast<std::size_t>(mesh.axes[axes[a]].size);
      }
    }
  }
  out.holders_.resize(shards);
  for (std::size_t i = 0; i < mesh.places.size(); ++i) {
    std::size_t shard = 0;
    std::size_t rest = i;
    for (std::size_t a = mesh.axes.size(); a-- > 0;) {
      const auto size = static_cast<std::size_t>(mesh.axes[a].size);
      shard += rest % size * axis_strides[a];
      rest /= size;
    }
    out.holders_[shard].push_back(mesh.places[i]);
    out.shard_of_[static_cast<std::size_t>(mesh.places[i])] = static_cast<std::ptrdiff_t>(shard);
  }
  for (auto& holders : out.holders_) std::ranges::sort(holders);
  for (const auto& parts : out.parts_) {
    Index most = 0;
    for (const DimPart& part : parts) most = std::max(most, part.extent);
    out.padded_shape_.push_back(most);
  }
  out.shape_ = std::move(shape);
  // If the largest local array fits, so do all others. But a layout of the whole local array must match the
  // shape of each shard.
  TESSERA_NEED(LocalBuffer::make(distribution.local, out.padded_shape_, out.padded_shape_));
  if (distribution.local.storage == LocalLayout::Storage::layout && !distribution.local.padded) {
    for (std::size_t shard = 0; shard < shards; ++shard) {
      TESSERA_NEED(LocalBuffer::make(distribution.local, out.shard_shape(shard), out.padded_shape_));
    }
  }
  return out;
}

Result<std::vector<ShardHolder>> holders(const BoundDistribution& distribution,
                                         std::span<const Index> index) {
  const auto shape = distribution.shape();
  if (index.size() != shape.size()) {
    return fail(Code::rank_mismatch, fmt::format("the index has {}, but the array has {}",
                                                 detail::plural(index.size(), "coordinate"),
                                                 detail::plural(shape.size(), "dimension")));
  }
  std::size_t shard = 0;
  std::vector<Index> local(index.size());
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) {
      return fail(Code::index_out_of_range,
                  fmt::format("index {} is outside dimension {}, whose extent is {}", index[d], d, shape[d]));
    }
    const auto parts = distribution.parts(d);
    std::size_t found = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (const IndexRun& run : parts[p].runs) {
        const Index distance = index[d] - run.lower;
        if (distance < 0) continue;
        const Index k = run.count > 1 ? std::min(run.count - 1, distance / run.step) : 0;
        const Index within = distance - k * run.step;
        if (within >= run.length) continue;
        found = p;
        local[d] = run.local + k * run.local_step + within;
      }
    }
    shard = shard * parts.size() + found;
  }
  std::vector<ShardHolder> out;
  const auto places = distribution.holders(shard);
  if (places.empty()) return out;
  const Index offset = distribution.local_buffer(places[0]).offset(local);
  for (const Index place : places) out.push_back({place, local, offset});
  return out;
}

Result<std::vector<Index>> element_at(const BoundDistribution& distribution, Index place,
                                      std::span<const Index> local) {
  const auto shard = distribution.shard_of(place);
  if (!shard) {
    return fail(Code::index_out_of_range,
                fmt::format("place {} is not in the distribution, which holds nothing there", place));
  }
  const std::vector<Index> extents = *distribution.local_shape(place);
  if (local.size() != extents.size()) {
    return fail(Code::rank_mismatch, fmt::format("the local index has {}, but the array has {}",
                                                 detail::plural(local.size(), "coordinate"),
                                                 detail::plural(extents.size(), "dimension")));
  }
  std::vector<Index> index(local.size());
  for (std::size_t d = 0; d < local.size(); ++d) {
    if (local[d] < 0 || local[d] >= extents[d]) {
      return fail(Code::index_out_of_range,
                  fmt::format("local index {} is outside dimension {} of the local array of place {}, whose "
                              "shape is {}",
                              local[d], d, place, fmt::join(extents, ",")));
    }
    for (const IndexRun& run : distribution.parts(d)[distribution.part({.shard = *shard, .dim = d})].runs) {
      const Index distance = local[d] - run.local;
      if (distance < 0) continue;
      const Index k = run.count > 1 ? std::min(run.count - 1, distance / run.local_step) : 0;
      const Index within = distance - k * run.local_step;
      if (within < run.length) index[d] = run.lower + k * run.step + within;
    }
  }
  return index;
}

std::string to_string(const IndexRun& run) {
  std::string text = fmt::format("{}:{}", run.lower, run.lower + run.length);
  if (run.count > 1) text += fmt::format(" every {} x {}", run.step, run.count);
  return text;
}

}  // namespace tessera
