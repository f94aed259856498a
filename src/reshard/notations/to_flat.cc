// SPDX-License-Identifier: Apache-2.0
// Distributions as JAX and Shardy write them: each dimension is cut once, over some axes of a mesh.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "reshard/converted.h"
#include "reshard/reader.h"

namespace tessera::detail {
namespace {

// A mesh, and the axes that cut each dimension, with the local layout and place numbers of a distribution.
struct FlatCuts {
  PlaceMesh mesh;
  std::vector<std::vector<std::size_t>> dims;
  std::vector<Index> on = {};
};

// The same cuts, joined to one for each dimension. Empty if that changes the distribution.
std::optional<FlatCuts> joined_cuts(const BoundDistribution& bound) {
  Distribution joined = to_mesh(bound);
  FlatCuts out{joined.mesh, std::vector<std::vector<std::size_t>>(bound.shape().size()), joined.on};
  for (const DimCut& cut : joined.cuts) {
    auto& axes = out.dims[static_cast<std::size_t>(cut.dim)];
    axes.insert(axes.end(), cut.axes.begin(), cut.axes.end());
  }
  joined.cuts.clear();
  for (std::size_t d = 0; d < out.dims.size(); ++d) {
    if (out.dims[d].empty()) continue;
    DimCut cut;
    cut.dim = static_cast<Index>(d);
    cut.axes = out.dims[d];
    joined.cuts.push_back(std::move(cut));
  }
  const auto again = bind_distribution(joined, {bound.shape().begin(), bound.shape().end()}, bound.places());
  if (!again) return {};
  const auto same = equal(bound, *again, DistributionNotion::map);
  if (!same || same->verdict != Verdict::yes) return {};
  return out;
}

// Errors: those of to_xla.
Result<FlatCuts> flat_cuts(const BoundDistribution& bound, std::string_view noun) {
  if (auto joined = joined_cuts(bound)) return std::move(*joined);
  TESSERA_TRY(tiled, to_xla(bound, noun));
  const auto again = bind_distribution(tiled, {bound.shape().begin(), bound.shape().end()}, bound.places());
  if (!again) return fail(again.error());
  const Distribution mesh = to_mesh(*again);
  FlatCuts out{mesh.mesh, std::vector<std::vector<std::size_t>>(bound.shape().size()), mesh.on};
  for (const DimCut& cut : mesh.cuts) out.dims[static_cast<std::size_t>(cut.dim)] = cut.axes;
  return out;
}

// Reads the text of a distribution, and gives it the local layout of another one, and place numbers.
Result<Distribution> with_rest(const std::string& text, const BoundDistribution& bound,
                               const std::vector<Index>& on) {
  const Distribution from = to_mesh(bound);
  TESSERA_TRY(out, parse_distribution(text));
  out.local = from.local;
  out.on = on;
  return std::move(out);
}

// The places of a mesh between `open` and `close`, or nothing if they are 0, 1, 2, ....
std::string places_text(const PlaceMesh& mesh, std::string_view open, std::string_view close) {
  if (is_row_major(mesh)) return {};
  return fmt::format("{}{}{}", open, fmt::join(mesh.places, ", "), close);
}

}  // namespace

Result<Distribution> to_jax(const BoundDistribution& bound) {
  TESSERA_TRY(flat, flat_cuts(bound, "NamedSharding"));
  std::vector<std::string> axes;
  for (const MeshAxis& axis : flat.mesh.axes) axes.push_back(fmt::format("'{}': {}", axis.name, axis.size));
  std::vector<std::string> entries;
  for (const auto& dim : flat.dims) {
    std::vector<std::string> names;
    for (const std::size_t axis : dim) names.push_back(fmt::format("'{}'", flat.mesh.axes[axis].name));
    entries.push_back(names.empty()       ? "None"
                      : names.size() == 1 ? names[0]
                                          : fmt::format("({})", fmt::join(names, ", ")));
  }
  return with_rest(fmt::format("NamedSharding(mesh=Mesh({}), spec=P({}{}){})", fmt::join(axes, ", "),
                               fmt::join(entries, ", "), entries.size() == 1 ? "," : "",
                               places_text(flat.mesh, ", logical_device_ids=(", ",)")),
                   bound, flat.on);
}

Result<Distribution> to_sdy(const BoundDistribution& bound) {
  TESSERA_TRY(flat, flat_cuts(bound, "Shardy sharding"));
  // A mesh without axes and devices means any mesh, so one device is listed.
  const bool one = flat.mesh.axes.empty();
  std::vector<std::string> axes;
  for (const MeshAxis& axis : flat.mesh.axes) axes.push_back(fmt::format("\"{}\"={}", axis.name, axis.size));
  std::vector<std::string> entries;
  for (const auto& dim : flat.dims) {
    std::vector<std::string> names;
    for (const std::size_t axis : dim) names.push_back(fmt::format("\"{}\"", flat.mesh.axes[axis].name));
    entries.push_back(fmt::format("{{{}}}", fmt::join(names, ", ")));
  }
  return with_rest(fmt::format("#sdy.sharding<mesh<[{}]{}>, [{}]>", fmt::join(axes, ", "),
                               one ? ", device_ids=[0]" : places_text(flat.mesh, ", device_ids=[", "]"),
                               fmt::join(entries, ", ")),
                   bound, flat.on);
}

}  // namespace tessera::detail
