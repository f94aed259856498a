// SPDX-License-Identifier: Apache-2.0
// Distributions in the mesh notation, which can express all of them.
#include <fmt/format.h>

#include <algorithm>

#include "reshard/converted.h"
#include "reshard/reader.h"

namespace tessera::detail {
namespace {

bool is_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_word);
}

}  // namespace

void name_axes(std::vector<MeshAxis>& axes) {
  const auto is_free = [&](std::string_view name) {
    return std::ranges::none_of(axes, [&](const MeshAxis& axis) { return axis.name == name; });
  };
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::string name = axes[a].name;
    const bool unique = std::ranges::count(axes, name, &MeshAxis::name) == 1;
    if (is_identifier(name) && unique) continue;
    // `x:(2)4` is the part of axis x after 2 positions.
    std::string better;
    if (const std::size_t open = name.find(":("); open != std::string::npos)
      better = fmt::format("{}_{}", name.substr(0, open), name.substr(open + 2, name.find(')') - open - 2));
    if (!is_identifier(better) || !is_free(better)) {
      std::size_t number = a;
      while (!is_free(better = fmt::format("a{}", number))) number += axes.size();
    }
    axes[a].name = std::move(better);
  }
}

Distribution to_mesh(const BoundDistribution& bound) {
  const Distribution& from = bound.distribution();
  Distribution out = from;
  const std::size_t rank = bound.shape().size();
  out.notation = DistributionNotation::mesh;
  out.everywhere = false;
  out.rank = rank;
  out.least_rank = 0;
  out.shape.clear();
  if (from.everywhere) {
    const Index count = from.on.empty() ? bound.places() : static_cast<Index>(from.on.size());
    out.mesh = *make_mesh({{"r0", count}}, {});
  }
  // A mesh of one device has no axis, so its number is written after `on`.
  if (out.mesh.axes.empty()) {
    const Index place = out.mesh.places[0];
    out.mesh.places = {0};
    if (!from.on.empty()) {
      out.on = {from.on[static_cast<std::size_t>(place)]};
    } else if (place != 0) {
      out.on = {place};
    }
  }
  name_axes(out.mesh.axes);
  for (DimCut& cut : out.cuts) {
    if (cut.dim < 0) cut.dim += static_cast<Index>(rank);
  }
  std::ranges::stable_sort(out.cuts, {},
                           [](const DimCut& cut) { return std::pair(cut.dim, cut.order.value_or(0)); });
  for (DimCut& cut : out.cuts) cut.order.reset();
  if (from.notation == DistributionNotation::scalapack && !out.local.span) out.local.span = Span{};
  out.body = mesh_text(out.mesh, out.cuts, rank);
  return out;
}

}  // namespace tessera::detail
