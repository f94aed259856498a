// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/sdy/to_sdy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/try.h"
#include "reshard/notations/flat_cuts.h"

namespace tessera::detail {

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
