// SPDX-License-Identifier: Apache-2.0
/// \file
/// At how many points two maps differ.
#pragma once

#include "tessera/map/map_algebra.h"

namespace tessera {

/// The number of points at which the maps differ: points of only one domain, and points of both where the
/// values differ or only one map has a value. Exact if all points can be enumerated, or if both maps have
/// values everywhere and the points with equal values can be counted; otherwise bounds. Requires the same
/// numbers of variables of each kind and of results.
Count count_differences(const IndexMap& a, const IndexMap& b, const JudgeLimits& limits = {});

}  // namespace tessera
