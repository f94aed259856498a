// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/torch/torch_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/notations/rank_array.h"
#include "reshard/place_mesh.h"
#include "text/character_class.h"

namespace tessera::detail {
namespace {

// Reads `(2, 4)` or `(dp=2, tp=4)`.
Result<std::vector<MeshAxis>> read_sizes(DistributionScanner& in, bool& named) {
  TESSERA_NEED(in.need("("));
  std::vector<MeshAxis> axes;
  while (!in.accept(")")) {
    if (!axes.empty()) {
      TESSERA_NEED(in.need(","));
      if (in.accept(")")) break;
    }
    in.next();
    MeshAxis axis;
    if (is_letter(in.here()) || in.here() == '_') {
      TESSERA_TRY(name, in.name());
      axis.name = std::move(name);
      TESSERA_NEED(in.need("="));
      named = true;
    }
    TESSERA_TRY(size, in.at_least(1, "the size of a mesh dimension"));
    axis.size = size;
    axes.push_back(std::move(axis));
  }
  return axes;
}

// The place of each coordinate: the sum of coordinate times stride. Requires one stride per axis of the mesh.
Result<std::vector<Index>> strided_places(const PlaceMesh& mesh, const std::vector<Index>& strides,
                                          Span span) {
  std::vector<Index> places(mesh.places.size());
  Index block = mesh_size(mesh);
  for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
    const Index size = mesh.axes[a].size;
    block /= size;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto step = checked_mul(static_cast<Index>(i) / block % size, strides[a]);
      if (!step || add_overflows(places[i], *step, places[i]))
        return fail(Code::overflow, "a rank exceeds 64 bits", span);
    }
  }
  return places;
}

// The strides that give the places of the mesh. Empty if there are none.
std::optional<std::vector<Index>> strides_of(const PlaceMesh& mesh) {
  if (mesh.places[0] != 0) return {};
  std::vector<Index> strides;
  std::size_t block = mesh.places.size();
  Index row_major = mesh_size(mesh);
  for (const MeshAxis& axis : mesh.axes) {
    block /= static_cast<std::size_t>(axis.size);
    row_major /= axis.size;
    strides.push_back(axis.size > 1 ? mesh.places[block] : row_major);
  }
  const auto same = strided_places(mesh, strides, {});
  if (!same || *same != mesh.places) return {};
  return strides;
}

}  // namespace

Result<TorchMesh> read_torch_mesh(DistributionScanner& in) {
  const std::size_t begin = in.next();
  TESSERA_NEED(in.need("DeviceMesh("));
  TorchMesh out;
  in.next();
  if (in.here() == '\'' || in.here() == '"') {
    TESSERA_NEED(in.quoted());
    TESSERA_NEED(in.need(","));
    in.next();
  }
  std::vector<Index> places;
  std::vector<MeshAxis> axes;
  if (in.here() == '[') {
    TESSERA_TRY(ranks, read_ranks(in));
    for (const Index size : ranks.shape) axes.push_back({"", size});
    places = std::move(ranks.ranks);
  } else if (in.here() == '(') {
    TESSERA_TRY(sizes, read_sizes(in, out.named));
    axes = std::move(sizes);
  } else {
    return in.expected("the sizes of the mesh, (2, 4), or its ranks, [[0, 1], [2, 3]]");
  }
  std::optional<std::vector<Index>> strides;
  while (!in.accept(")")) {
    TESSERA_NEED(in.need(","));
    if (in.accept(")")) break;
    const std::size_t at = in.next();
    if (in.accept("device:")) {
      TESSERA_NEED(in.quoted());
    } else if (in.accept("stride:")) {
      TESSERA_NEED(in.need("("));
      TESSERA_TRY(list, in.integers_until(")"));
      if (list.size() != axes.size()) {
        return fail(Code::value_count,
                    fmt::format("the list has {}, but the mesh has {}", plural(list.size(), "stride"),
                                plural(axes.size(), "dimension")),
                    in.since(at));
      }
      strides = std::move(list);
    } else if (in.accept("mesh_dim_names=")) {
      TESSERA_NEED(in.need("("));
      TESSERA_TRY(names, in.quoted_until(")"));
      if (names.size() != axes.size()) {
        return fail(Code::value_count,
                    fmt::format("the list has {}, but the mesh has {}", plural(names.size(), "name"),
                                plural(axes.size(), "dimension")),
                    in.since(at));
      }
      for (std::size_t a = 0; a < axes.size(); ++a) axes[a].name = names[a];
      out.named = true;
    } else {
      return in.expected("device:, stride: or mesh_dim_names=");
    }
  }
  const Span span = in.since(begin);
  if (out.named) {
    for (const MeshAxis& axis : axes) {
      if (axis.name.empty())
        return fail(Code::syntax, "either all mesh dimensions must have names, or none", span);
    }
  } else {
    for (std::size_t a = 0; a < axes.size(); ++a) axes[a].name = fmt::format("m{}", a);
  }
  TESSERA_TRY(mesh, make_mesh(std::move(axes), span));
  if (!places.empty()) {
    TESSERA_NEED(place_mesh(mesh, std::move(places), span));
  } else if (strides) {
    TESSERA_TRY(strided, strided_places(mesh, *strides, span));
    TESSERA_NEED(place_mesh(mesh, std::move(strided), span));
  } else {
    out.assumes_order = true;
  }
  out.mesh = std::move(mesh);
  return out;
}

std::string torch_mesh_text(const TorchMesh& torch) {
  const PlaceMesh& mesh = torch.mesh;
  std::vector<std::string> names;
  std::vector<std::string> sizes;
  for (const MeshAxis& axis : mesh.axes) {
    names.push_back(fmt::format("'{}'", axis.name));
    sizes.push_back(torch.named ? fmt::format("{}={}", axis.name, axis.size) : std::to_string(axis.size));
  }
  std::string text = fmt::format("DeviceMesh(({})", fmt::join(sizes, ", "));
  if (!is_row_major(mesh)) {
    if (const auto strides = strides_of(mesh)) {
      text += fmt::format(", stride: ({})", fmt::join(*strides, ", "));
    } else {
      text = "DeviceMesh(" + nested_ranks_text(mesh);
      if (torch.named)
        text += fmt::format(", mesh_dim_names=({}{})", fmt::join(names, ", "), names.size() == 1 ? "," : "");
    }
  }
  return text + ")";
}

}  // namespace tessera::detail
