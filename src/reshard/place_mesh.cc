// SPDX-License-Identifier: Apache-2.0
#include "reshard/place_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/plural.h"
#include "text/character_class.h"

namespace tessera::detail {
namespace {

bool is_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_word);
}

}  // namespace

Index mesh_size(const PlaceMesh& mesh) { return static_cast<Index>(mesh.places.size()); }

bool is_row_major(const PlaceMesh& mesh) {
  for (std::size_t i = 0; i < mesh.places.size(); ++i) {
    if (mesh.places[i] != static_cast<Index>(i)) return false;
  }
  return true;
}

Result<PlaceMesh> make_mesh(std::vector<MeshAxis> axes, Span span) {
  Index size = 1;
  std::set<std::string_view> names;
  for (const MeshAxis& axis : axes) {
    if (!axis.name.empty() && !names.insert(axis.name).second) {
      return fail(Code::duplicate_name, fmt::format("the mesh has two axes '{}'", axis.name), span);
    }
    if (axis.size < 1) {
      return fail(Code::number_range,
                  fmt::format("a mesh axis must have at least 1 position, not {}", axis.size), span);
    }
    if (mul_overflows(size, axis.size, size) || size > kMaxPlaces) {
      return fail(Code::limit, fmt::format("a mesh has at most {} places", kMaxPlaces), span);
    }
  }
  PlaceMesh mesh{std::move(axes), std::vector<Index>(static_cast<std::size_t>(size))};
  for (std::size_t i = 0; i < mesh.places.size(); ++i) mesh.places[i] = static_cast<Index>(i);
  return mesh;
}

Result<void> place_mesh(PlaceMesh& mesh, std::vector<Index> places, Span span) {
  if (places.size() != mesh.places.size()) {
    return fail(Code::device_count,
                fmt::format("the list has {}, but the mesh has {}", plural(places.size(), "place"),
                            mesh.places.size()),
                span);
  }
  std::vector<Index> sorted = places;
  std::ranges::sort(sorted);
  if (!sorted.empty() && sorted.front() < 0) {
    return fail(Code::number_range, fmt::format("{} is not the number of a place", sorted.front()), span);
  }
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return fail(Code::device_count, fmt::format("place {} occurs twice", *twice), span);
  }
  mesh.places = std::move(places);
  return {};
}

Result<std::size_t> find_axis(const PlaceMesh& mesh, std::string_view name, Span span) {
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) return i;
  }
  std::vector<std::string_view> names;
  for (const MeshAxis& axis : mesh.axes) names.push_back(axis.name);
  return fail(Code::unknown_name, fmt::format("the mesh has no axis '{}'", name), span,
              names.empty() ? "the mesh has no axes" : fmt::format("its axes: {}", fmt::join(names, ", ")));
}

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

}  // namespace tessera::detail
