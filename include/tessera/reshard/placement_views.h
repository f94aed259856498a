// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions as placements and as Axe layouts, and Axe layouts as distributions.
#pragma once

#include "tessera/base/result.h"
#include "tessera/notation/axe.h"
#include "tessera/placement/placement.h"
#include "tessera/reshard/distribution.h"

namespace tessera {

/// The placement of a distribution: a place axis for each axis of its mesh, and `m`, the offset in the memory
/// of the place. The place of a coordinate is the one that the mesh gives it (place_of). By digits if all
/// cuts are even, else a map for each shard and combination of runs. Errors: duplicate_name (a mesh axis
/// called m), limit, overflow, not_representable (a local layout without digits).
Result<Placement> placement(const BoundDistribution& distribution);

/// The number of the place at a coordinate of the mesh, one number for each axis.
Index place_of(const BoundDistribution& distribution, std::span<const Index> coordinate);

/// The distribution as an Axe layout, with a place axis for each mesh axis; those that cut nothing are
/// replicas. A place is a coordinate of the mesh, by the names of its axes, whatever the number of its
/// device; `convert` to Axe keeps these, too. Errors: not_representable with reason `sizes` (an uneven cut),
/// `axes` (a name that Axe uses for memory); those of make_axe.
Result<AxeLayout> axe_of(const BoundDistribution& distribution);

/// An Axe layout as a distribution of its shape over a mesh. Place axes together number the places,
/// row-major, each as long as its largest value + 1. Errors: not_representable, the first that applies:
/// `entangled` (a swizzle), `axes` (several memory axes), `entangled` (an iterator that crosses a dimension),
/// `replicated` (a replica on a memory axis), `negative_stride`, `places` (two places with one number),
/// `offset` (a local offset where a dimension needs several strides); limit (more than kMaxPlaces places).
Result<Distribution> distribution_of(const AxeLayout& layout);

}  // namespace tessera
