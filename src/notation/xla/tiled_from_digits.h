// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts the digit normal form to tiles: the simplest tile list with this map, or why there is none.
#pragma once

#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// A tile list with this map over the box. Finds one whenever every stride exceeds the largest offset of the
/// digits with smaller strides, which covers all lists that cut coordinates where digits begin. Does not try
/// lists that cut inside a digit, because their functions rarely have digits.
/// The search covers lists that move whole digits or cut them where the next begins; a coordinate that is
/// always 0 pads at most once. Among these, the result has the fewest tiles, then the fewest entries, then
/// descending minor_to_major, then the smallest product of entries. After 20,000 steps the search falls back
/// to splitting, sorting and combining the digits one by one.
/// Reasons of not_representable: empty, offset, negative_stride, broadcast, gap. Other errors: undecided.
Result<TiledLayout> to_tiled_layout(const Digits& digits);
/// All lists with the fewest tiles that the search finds, best first. Errors: those of to_tiled_layout.
Result<std::vector<TiledLayout>> to_tiled_layouts(const Digits& digits);

}  // namespace tessera
