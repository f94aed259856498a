// SPDX-License-Identifier: Apache-2.0
// What a map with names for sizes takes on, in one case of sizes.
#pragma once

#include <optional>
#include <vector>

#include "notation/symbolic/map_forms.h"

namespace tessera::symbolic {

/// first, first + step, ..., as many as `count`.
struct SizedProgression {
  Polynomial first;
  Polynomial step = 1;
  Polynomial count = 1;
};

/// The values of each result, over parameters and what derives from them, if they do not depend on one
/// another; else why there is no answer.
struct MapProgressions {
  std::vector<SizedProgression> results = {};
  std::optional<Leaf> failure = {};
};
MapProgressions progressions_of(const SymbolicMap& map, Recorder& run);

/// The number of points, or of different results.
Leaf count_leaf(const SymbolicMap& map, bool of_points, Recorder& run);

/// The set of results, as constraints on r0, r1, ...
Leaf image_leaf(const SymbolicMap& map, Recorder& run);

}  // namespace tessera::symbolic
