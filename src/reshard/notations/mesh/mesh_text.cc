// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/mesh/mesh_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reshard/notations/mesh/device_ids.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

std::string cut_text(const PlaceMesh& mesh, const DimCut& cut) {
  std::string text;
  for (const std::size_t axis : cut.axes) text += (text.empty() ? "" : "*") + mesh.axes[axis].name;
  switch (cut.rule) {
    case CutRule::ceil:
      break;
    case CutRule::cyclic:
      text += fmt::format("(cyclic {}", cut.size);
      text += cut.start == 0 ? ")" : fmt::format(" from {})", cut.start);
      break;
    case CutRule::sizes:
      text += fmt::format("(sizes {})", fmt::join(cut.sizes, ","));
      break;
    case CutRule::strided:
      text += fmt::format("(strided {})", cut.size);
      break;
    case CutRule::strided_padded:
      text += fmt::format("(strided {} padded)", cut.size);
      break;
  }
  return text;
}

}  // namespace

std::string mesh_text(const PlaceMesh& mesh, const std::vector<DimCut>& cuts, std::size_t rank) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh.axes) axes.push_back(fmt::format("{}={}", axis.name, axis.size));
  std::vector<std::string> dims(rank);
  for (const DimCut& cut : cuts) {
    std::string& dim = dims[static_cast<std::size_t>(cut.dim)];
    dim += (dim.empty() ? "" : "/") + cut_text(mesh, cut);
  }
  for (std::string& dim : dims) {
    if (dim.empty()) dim = "-";
  }
  return fmt::format("mesh[{}]{} [{}]", fmt::join(axes, ","),
                     is_row_major(mesh) ? "" : fmt::format(" device_ids=({})", device_ids_text(mesh.places)),
                     fmt::join(dims, ", "));
}

}  // namespace tessera::detail
