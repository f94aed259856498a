// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares relations by enumeration.
#pragma once

#include <optional>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// Whether two maps without runtime variables relate the same elements to the same start indices. Requires
/// finite intervals, and equal numbers of dimensions and results. Empty if a value is undefined, or if the
/// box of all pairs has more than 2^63 - 1 points. O(points log points) of both maps.
std::optional<bool> same_pairs(const IndexMap& a, const IndexMap& b);

}  // namespace tessera::detail
