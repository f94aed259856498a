// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/index_walk.h"
#include "base/try.h"
#include "notation/axe/axe_canonical.h"
#include "notation/axe/axes.h"
#include "notation/axe/make_axe.h"
#include "notation/not_representable.h"
#include "reshard/parts/even_digits.h"
#include "reshard/place_mesh.h"
#include "tessera/reshard/placement_views.h"

namespace tessera {
namespace {

using detail::EvenDigits;
using detail::MeshDigit;

constexpr std::string_view kMemory = "m";

Result<Placement> by_digits(const BoundDistribution& bound, const EvenDigits& even,
                            std::vector<PlacementAxis> axes) {
  PlacementDigits digits;
  digits.offset.assign(axes.size(), 0);
  digits.offset.back() = even.offset;
  for (const auto& dim : even.dims) {
    for (const MeshDigit& own : dim) {
      PlacementDigit digit{own.extent, std::vector<Index>(axes.size(), 0)};
      digit.step[own.axis.value_or(axes.size() - 1)] = own.stride;
      digits.index.push_back(std::move(digit));
    }
  }
  for (const std::size_t axis : even.free_axes) {
    PlacementDigit digit{even.axes[axis].size, std::vector<Index>(axes.size(), 0)};
    digit.step[axis] = 1;
    digits.replicas.push_back(std::move(digit));
  }
  return Placement::make({bound.shape().begin(), bound.shape().end()}, std::move(axes), std::move(digits));
}

// One shard and one run of each dimension: where they apply, and the local index.
struct RunDomain {
  Domain domain;
  std::vector<Expr> local;
};

RunDomain run_domain(std::span<const IndexRun> runs, std::vector<Variable> replicas) {
  std::vector<Variable> dims;
  for (const IndexRun& run : runs)
    dims.push_back({{run.lower, run.lower + (run.count - 1) * run.step + run.length - 1}});
  RunDomain out{Domain(std::move(dims), std::move(replicas), {}), {}};
  for (std::size_t d = 0; d < runs.size(); ++d) {
    const IndexRun& run = runs[d];
    const Expr distance = Expr::variable(static_cast<Index>(d)) - run.lower;
    if (run.count == 1) {
      out.local.push_back(distance + run.local);
      continue;
    }
    out.domain.constrain(mod(distance, run.step), Interval::of_extent(run.length));
    out.local.push_back(floor_div(distance, run.step) * run.local_step + mod(distance, run.step) + run.local);
  }
  return out;
}

Result<Placement> by_runs(const BoundDistribution& bound, const PlaceMesh& mesh,
                          std::span<const std::size_t> free_axes, std::vector<PlacementAxis> axes) {
  std::vector<Variable> replicas;
  for (const std::size_t axis : free_axes) replicas.push_back({Interval::of_extent(mesh.axes[axis].size)});
  const std::size_t rank = bound.shape().size();
  std::vector<Index> sizes;
  for (const MeshAxis& axis : mesh.axes) sizes.push_back(axis.size);
  std::vector<bool> done(bound.shards(), false);
  std::vector<IndexMap> maps;
  for (std::size_t i = 0; i < mesh.places.size(); ++i) {
    const auto shard = bound.shard_of(mesh.places[i]);
    if (!shard || done[*shard]) continue;
    // The first coordinate of a shard is 0 on the axes that cut nothing.
    done[*shard] = true;
    if (bound.elements(*shard) == 0) continue;
    const std::vector<Index> coordinate = detail::index_with_number(sizes, static_cast<Index>(i));
    TESSERA_TRY(local, detail::local_layout(bound, mesh.places[i]));
    const IndexMap offsets = lower(local);
    std::vector<const DimPart*> parts;
    for (std::size_t d = 0; d < rank; ++d)
      parts.push_back(&bound.parts(d)[bound.part({.shard = *shard, .dim = d})]);
    std::vector<std::size_t> chosen(rank, 0);
    do {
      std::vector<IndexRun> runs;
      for (std::size_t d = 0; d < rank; ++d) runs.push_back(parts[d]->runs[chosen[d]]);
      RunDomain here = run_domain(runs, replicas);
      std::vector<Expr> results;
      for (const Index value : coordinate) results.push_back(Expr::constant(value));
      for (std::size_t r = 0; r < free_axes.size(); ++r)
        results[free_axes[r]] = Expr::variable(static_cast<Index>(rank + r));
      results.push_back(substitute(offsets.results()[0], here.local));
      maps.push_back(IndexMap::make_unchecked(std::move(here.domain), std::move(results)));
      if (maps.size() > Placement::kMaxMaps)
        return fail(Code::limit, fmt::format("the placement needs more than {} maps", Placement::kMaxMaps));
    } while (detail::advance_last(rank, [&](std::size_t d) {
      return detail::next_value(chosen[d], std::size_t{0}, parts[d]->runs.size());
    }));
  }
  return Placement::make({bound.shape().begin(), bound.shape().end()}, std::move(axes), std::move(maps));
}

}  // namespace

Result<Placement> placement(const BoundDistribution& distribution) {
  const PlaceMesh mesh = detail::numbered_mesh(distribution);
  std::vector<PlacementAxis> axes;
  for (const MeshAxis& axis : mesh.axes) axes.push_back({axis.name, AxisRole::place});
  axes.push_back({std::string(kMemory), AxisRole::memory});
  if (const auto even = detail::even_digits(distribution))
    return by_digits(distribution, *even, std::move(axes));
  std::vector<bool> used(mesh.axes.size(), false);
  for (const DimCut& cut : distribution.distribution().cuts) {
    for (const std::size_t axis : cut.axes) used[axis] = true;
  }
  std::vector<std::size_t> free_axes;
  for (std::size_t a = 0; a < used.size(); ++a) {
    if (!used[a]) free_axes.push_back(a);
  }
  return by_runs(distribution, mesh, free_axes, std::move(axes));
}

Index place_of(const BoundDistribution& distribution, std::span<const Index> coordinate) {
  const PlaceMesh mesh = detail::numbered_mesh(distribution);
  std::vector<Index> sizes;
  for (const MeshAxis& axis : mesh.axes) sizes.push_back(axis.size);
  return mesh.places[static_cast<std::size_t>(detail::number_of_index(coordinate, sizes))];
}

Result<AxeLayout> axe_of(const BoundDistribution& distribution) {
  TESSERA_TRY(even, detail::even_digits(distribution));
  detail::name_axes(even.axes);
  AxeLayout out;
  out.shape.assign(distribution.shape().begin(), distribution.shape().end());
  for (const MeshAxis& axis : even.axes) {
    if (detail::axe_role(axis.name) == AxisRole::memory)
      return detail::not_representable("axes",
                                       fmt::format("{} is a memory in Axe; rename the mesh axis", axis.name));
  }
  for (const auto& dim : even.dims) {
    for (const MeshDigit& digit : dim)
      out.sharded.push_back(
          {digit.extent, digit.stride, digit.axis ? even.axes[*digit.axis].name : std::string(kMemory)});
  }
  if (out.sharded.empty()) out.sharded.push_back({1, 1, std::string(kMemory)});
  for (const std::size_t axis : even.free_axes)
    out.replicas.push_back({even.axes[axis].size, 1, even.axes[axis].name});
  // An axis of one device has no digit, but its name says which place that is.
  for (const MeshAxis& axis : even.axes) out.offsets.push_back({0, axis.name});
  out.offsets.push_back({even.offset, std::string(kMemory)});
  TESSERA_TRY(made, make_axe(std::move(out)));
  return detail::canonical_of_shape(made);
}

}  // namespace tessera
