// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions in other notations.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/reshard/distribution.h"

namespace tessera::detail {

Distribution to_mesh(const BoundDistribution& bound);
/// `noun` names the result in errors. Errors: not_representable, with the reason runs, sizes or places.
Result<Distribution> to_xla(const BoundDistribution& bound, std::string_view noun = "XLA sharding");
/// As NamedSharding, or as `#sdy.sharding<...>`, which both cut each dimension once over some mesh axes.
/// Errors: those of to_xla.
Result<Distribution> to_jax(const BoundDistribution& bound);
Result<Distribution> to_sdy(const BoundDistribution& bound);
/// As a DeviceMesh with placements. Errors: not_representable with the reason placements and a witness, or
/// undecided, if none were found, but there were too many to try.
Result<Distribution> to_torch(const BoundDistribution& bound);

/// As an Axe layout. `on` lists the devices where Axe numbers the places otherwise: row-major over the axes
/// by name. Errors: those of axe_of and distribution_of; not_representable with the reason `places` (thread
/// axes that number places with gaps).
Result<Distribution> to_axe(const BoundDistribution& bound);

/// Replaces names of axes that are not identifiers: a factor `x:(2)4` of an axis becomes `x_2`, others a0,
/// a1,
/// ... by their position. Names stay unique.
void name_axes(std::vector<MeshAxis>& axes);

}  // namespace tessera::detail
