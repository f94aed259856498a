// SPDX-License-Identifier: Apache-2.0
// What a tile of the domain of a map with names for sizes reads, for all sizes.
#pragma once

#include <vector>

#include "notation/symbolic/symbolic_map.h"
#include "size/sized_cases.h"

namespace tessera::symbolic {

/// The facts `offset`, `size`, `stride`, `within`, `edge` and `bound` of the tile with the number (tid_0,
/// tid_1, ...), in cases. A size of the tile that is 0 or left out is a name, ts_0, ts_1, ... What a tile
/// reads is each combination of offset + stride * k, k below its size, that is within the array, but for a
/// tile that the end of the domain cuts where `edge` says so; where there is a `bound`, it may read less of
/// these. Errors: empty_range, limit; undefined_value (no sizes give the map a point); rank_mismatch;
/// number_range; duplicate_name (the map has a name of the tile); unknown_name (`where` has one that the tile
/// does not have).
Result<SizedAnswers> tile(const SymbolicMap& map, const std::vector<Index>& sizes,
                          const AssumptionList& where);

}  // namespace tessera::symbolic
