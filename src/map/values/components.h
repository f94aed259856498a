// SPDX-License-Identifier: Apache-2.0
/// \file
/// Splits a map into parts without common variables.
#pragma once

#include <vector>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// A part: a map over some variables (all as dimensions) with some of the results.
struct Component {
  IndexMap map;
  std::vector<std::size_t> results;  ///< the numbers of its results in the whole map
};

/// The parts of a map. Its image is the product of the images of its parts, its domain the product of their
/// domains. Constraints and, with `by_results`, results connect variables; without `by_results`, the parts
/// have no results.
std::vector<Component> components(const IndexMap& map, bool by_results);

}  // namespace tessera::detail
