// SPDX-License-Identifier: Apache-2.0
/// \file
/// Independent parts of a map: groups of variables that no constraint and no operator connects.
#pragma once

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// As `simplify`, part by part. Programs repeat the same few parts (an iteration number with its constraints,
/// a split dimension) next to different other dimensions, so each thread remembers the parts that it
/// simplified last. A part does not depend on the numbers of its variables. The answer depends only on the
/// map, because a remembered part has the text that `simplify` finds for it. Exact. Cost: linear in the
/// nodes, plus one simplification for each part that is not remembered.
IndexMap simplify_parts(IndexMap map);

}  // namespace tessera::detail
