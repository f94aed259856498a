// SPDX-License-Identifier: Apache-2.0
/// \file
/// Meshes of named axes, as XLA writes them in shardings and replica groups.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// A mesh: its axes, the first one major, and the device at each position.
struct NamedMesh {
  std::vector<std::string> axes = {};
  std::vector<Index> sizes = {};
  std::vector<Index> device_ids = {};  ///< in row-major order of the axes; empty: 0, 1, ...
};

/// A part of the axis with this number: `pre` positions outside it, `size` positions in it.
struct SubAxis {
  std::size_t axis = 0;
  Index pre = 1;
  Index size = 1;
};

/// A mesh and some of its axes: `mesh['a'=2,'b'=4] {'b'}`.
struct MeshAxes {
  NamedMesh mesh;
  std::vector<SubAxis> axes = {};
  std::size_t end = 0;  ///< the position after them
};

/// Reads a mesh and axes from the beginning of a text without comments. Errors: those of MeshScanner.
Result<MeshAxes> read_mesh_axes(std::string_view text);

/// The text with comments replaced by as many blanks, so that positions stay.
std::string without_comments(std::string_view text);

}  // namespace tessera::detail
