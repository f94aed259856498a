// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts the distinct values of several maps together.
#pragma once

#include <span>

#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// The number of distinct result tuples of all maps together; all maps have the same number of results. The
/// counts of maps whose values lie in disjoint boxes are added. Others are counted by inclusion and exclusion
/// if the values of each map are evenly spaced in every result, else by enumeration up to the limits; beyond
/// these the answer is a bound.
Count count_image_union(std::span<const IndexMap> maps, const JudgeLimits& limits = {});

/// The sum of two counts; bounds are added.
Count sum(const Count& a, const Count& b);

}  // namespace tessera::detail
