// SPDX-License-Identifier: Apache-2.0
/// \file
/// A map at one point of its domain.
#pragma once

#include <span>

#include "tessera/base/result.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// The map with its variables replaced by these values: one for each dimension, or one for each variable
/// (dimensions, range variables, runtime variables). The rest is a map without dimensions, over the range and
/// runtime variables that have no value yet: all results for the point. Simplified. Errors: value_count for
/// another number of values; undefined_value if the point is outside the domain, or a result has no value
/// there (a division by 0, or beyond 64 bits): the message names the variable or the constraint. Exact.
/// O(distinct nodes). Example: (d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 3] at (5) is `()[s0] ->
/// (5, s0), domain: s0 in [0, 3]`.
Result<IndexMap> at_point(const IndexMap& map, std::span<const Index> values);

}  // namespace tessera
