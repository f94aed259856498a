// SPDX-License-Identifier: Apache-2.0
/// \file
/// From the axes of a mesh to a tile assignment.
#pragma once

#include <vector>

#include "notation/sharding/mesh_scanner.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {

/// The axes of a mesh that are listed for one kind of subgroup.
struct MeshSubgroup {
  SubgroupKind kind = SubgroupKind::replicated;
  std::vector<SubAxis> axes = {};
};

/// The sharding over a mesh: `dims` has the axes that cut each dimension, `listed` the axes that cut none.
/// Axes in neither replicate. Cuts each axis of the mesh where a reference cuts it. Axes that cut come first,
/// in the order of the dimensions, then the subgroups. Without dimensions nothing is cut, whatever the rank:
/// if all axes belong to one subgroup, the result is this kind of sharding. Errors: number_range (no
/// factorization of an axis has all these parts), overflow.
Result<Sharding> mesh_sharding(const NamedMesh& mesh, const std::vector<std::vector<SubAxis>>& dims,
                               const std::vector<MeshSubgroup>& listed);

}  // namespace tessera::detail
