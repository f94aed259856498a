// SPDX-License-Identifier: Apache-2.0
// The inverse of a map with names for sizes, in one case of sizes.
#pragma once

#include <optional>
#include <string>

#include "notation/symbolic/map_digits.h"

namespace tessera::symbolic {

/// The letter, repeated until no size of the map is it and a number: new names are of that form.
std::string unused_prefix(char letter, const SymbolicMap& map);

/// The inverse, before its terms are simple; without one, `leaf` says why.
struct MapInverse {
  std::optional<SymbolicMap> map = {};
  Leaf leaf = {};
};
MapInverse inverse_of(const SymbolicMap& map, Recorder& run);

/// The inverse as a leaf: a map, an error, or undecided.
Leaf inverse_leaf(const SymbolicMap& map, Recorder& run);

}  // namespace tessera::symbolic
