// SPDX-License-Identifier: Apache-2.0
/// \file
/// From the digit normal form back to notations: the simplest text with this map, or why there is none.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tessera/algebra/strided_layout.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/notation/strides.h"
#include "tessera/notation/tiled_layout.h"

namespace tessera {

/// Two indices of the box with the same offset, the first such pair found, or nothing where the map is
/// injective. Exact. Errors: undecided beyond 10^6 steps of the search. O(digits) where the strides are
/// mixed-radix.
Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>> collision(const Digits& digits);

/// The extents and strides of the digits as a nested layout, one top-level mode a dimension, the lowest digit
/// first; smaller than its modes where the box crops. Reasons of not_representable: empty, offset. Errors
/// also: rank_mismatch (no dimension), overflow, capacity.
Result<StridedLayout> to_strided_layout(const Digits& digits);

/// One stride a dimension (0 for extent 1). Errors: not_representable with reason `multi_digit`.
Result<Strides> to_strides(const Digits& digits);

/// Reasons of not_representable, first that applies: empty, offset, negative_stride, broadcast, padding,
/// order. Errors also: undecided.
Result<PackedLayout> to_packed_layout(const Digits& digits);

/// A tile list with this map over the box. One is found whenever no digit's stride is within the reach of the
/// smaller ones (their largest offset together): those are all functions of lists that cut coordinates where
/// digits begin. Lists that cut inside a digit, which as a rule are not functions of digits at all, are not
/// tried. The list has the fewest tiles, then the fewest entries, then descending minor_to_major, then the
/// smallest product of entries, among lists that move digits whole or cut them where the next begins; a
/// coordinate that is always 0 pads once. Where the search takes more than 20 000 steps, the digits are cut
/// off, sorted and combined one after the other. Reasons of not_representable: empty, offset,
/// negative_stride, broadcast, gap. Errors also: undecided.
Result<TiledLayout> to_tiled_layout(const Digits& digits);
/// All lists of that number of tiles which the search finds, the best first. Errors: the same.
Result<std::vector<TiledLayout>> to_tiled_layouts(const Digits& digits);

/// Reasons of not_representable: offset, not_power_of_two, negative_stride, carry. For functions that have no
/// digits (swizzles) see the overload. Errors also: undecided.
Result<LinearLayout> to_linear_layout(const Digits& digits);
/// The same for any function on a box; `groups` as in digits_by_tables.
Result<LinearLayout> to_linear_layout(std::span<const Index> box, const OffsetFunction& offset,
                                      std::span<const std::vector<std::size_t>> groups);

}  // namespace tessera
