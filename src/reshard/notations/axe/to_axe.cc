// SPDX-License-Identifier: Apache-2.0
// Distributions as Axe layouts, with the devices of their places.
#include "reshard/notations/axe/to_axe.h"

#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "base/try.h"
#include "notation/axe/axes.h"
#include "notation/not_representable.h"
#include "reshard/parts/even_digits.h"
#include "reshard/place_mesh.h"
#include "tessera/reshard/placement_views.h"

namespace tessera::detail {
namespace {

// The axes of places of a layout after fusing, and the number of values of each.
struct PlaceAxes {
  std::vector<std::string> names;
  std::vector<Index> lengths;

  std::size_t at(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  }
};

// The number that Axe gives the place at each coordinate of the mesh, in row-major order.
std::vector<Index> axe_numbers(const AxeLayout& layout, const std::vector<MeshAxis>& mesh) {
  const std::vector<std::string> written = axis_names(layout);
  std::vector<FusedAxis> to;
  PlaceAxes axes;
  for (const MeshAxis& axis : mesh) to.push_back(fused_axis(axis.name, written));
  for (const FusedAxis& axis : to) {
    if (axes.at(axis.name) == axes.names.size()) axes.names.emplace_back(axis.name);
  }
  std::ranges::sort(axes.names, axis_before);
  axes.lengths.assign(axes.names.size(), 1);
  std::vector<Index> sizes;
  for (std::size_t a = 0; a < mesh.size(); ++a) {
    axes.lengths[axes.at(to[a].name)] += (mesh[a].size - 1) * to[a].factor;
    sizes.push_back(mesh[a].size);
  }
  std::vector<Index> out;
  std::vector<Index> at(mesh.size(), 0);
  do {
    std::vector<Index> value(axes.names.size(), 0);
    for (std::size_t a = 0; a < mesh.size(); ++a) value[axes.at(to[a].name)] += at[a] * to[a].factor;
    out.push_back(number_of_index(value, axes.lengths));
  } while (next_index(at, sizes));
  return out;
}

}  // namespace

Result<Distribution> to_axe(const BoundDistribution& bound) {
  TESSERA_TRY(layout, axe_of(bound));
  TESSERA_TRY(out, distribution_of(layout));
  out.notation = DistributionNotation::axe;
  out.shape = layout.shape;
  out.body = to_string(layout);
  out.local.span.reset();
  PlaceMesh mesh = numbered_mesh(bound);
  name_axes(mesh.axes);
  const std::vector<Index> numbers = axe_numbers(layout, mesh.axes);
  std::vector<Index> on(numbers.size(), -1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<std::size_t>(numbers[i]);
    if (number >= on.size() || on[number] != -1)
      return not_representable("places", "the thread axes number the places with gaps, and a mesh has none");
    on[number] = mesh.places[i];
  }
  const bool counts =
      std::ranges::all_of(on, [&, n = Index{0}](Index place) mutable { return place == n++; });
  out.on = counts ? std::vector<Index>{} : std::move(on);
  return std::move(out);
}

}  // namespace tessera::detail
