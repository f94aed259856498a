// SPDX-License-Identifier: Apache-2.0
/// \file
/// Meshes of places, and the names of their axes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// A mesh whose places are in row-major order. Errors: duplicate_name, limit.
Result<PlaceMesh> make_mesh(std::vector<MeshAxis> axes, Span span);
/// Replaces the places of a mesh. Errors: device_count (a wrong number of places, or a repeated place).
Result<void> place_mesh(PlaceMesh& mesh, std::vector<Index> places, Span span);
/// The size of a mesh.
Index mesh_size(const PlaceMesh& mesh);
bool is_row_major(const PlaceMesh& mesh);
/// The axis with this name. Errors: unknown_name.
Result<std::size_t> find_axis(const PlaceMesh& mesh, std::string_view name, Span span);

/// Replaces names of axes that are not identifiers: a factor `x:(2)4` of an axis becomes `x_2`, others a0,
/// a1, ... by their position. Names stay unique.
void name_axes(std::vector<MeshAxis>& axes);

}  // namespace tessera::detail
