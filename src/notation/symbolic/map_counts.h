// SPDX-License-Identifier: Apache-2.0
// What a map with names for sizes takes on, in one case of sizes.
#pragma once

#include "notation/symbolic/map_forms.h"

namespace tessera::symbolic {

/// The number of points, or of different results.
Leaf count_leaf(const SymbolicMap& map, bool of_points, Recorder& run);

/// The set of results, as constraints on r0, r1, ...
Leaf image_leaf(const SymbolicMap& map, Recorder& run);

}  // namespace tessera::symbolic
