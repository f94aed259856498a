// SPDX-License-Identifier: Apache-2.0
// Distributions in the mesh notation, which can express all of them.
#include "reshard/notations/mesh/to_mesh.h"

#include <fmt/format.h>

#include <algorithm>

#include "reshard/notations/mesh/mesh_text.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
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
