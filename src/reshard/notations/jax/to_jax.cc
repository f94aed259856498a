// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/jax/to_jax.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/try.h"
#include "reshard/notations/flat_cuts.h"

namespace tessera::detail {

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

}  // namespace tessera::detail
