// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts the digit normal form to most notations: the simplest layout with this map, or why there is none.
/// The code is in the folders of the notations. xla/tiled_from_digits.h and onednn/blocked_from_digits.h
/// search tiles and tags.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/algebra/strided_layout.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/notation/strides.h"

namespace tessera {

/// Two indices of the box with the same offset, the first such pair found; empty if the map is
/// injective. Exact. Errors: undecided beyond 10^6 steps of the search. O(digits log digits) if the
/// digits are nested (offset_spread.h).
Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>> collision(const Digits& digits);

/// The extents and strides of the digits as a nested layout, one top-level mode per dimension, lowest digit
/// first. A dimension without digits has its stride of `unit`, or 0. The layout is larger than the box if the
/// box crops it. Reasons of not_representable: empty, offset. Other errors: rank_mismatch (no dimension),
/// overflow, capacity.
Result<StridedLayout> to_strided_layout(const Digits& digits, std::span<const Index> unit = {});

/// One stride per dimension. One without digits has its stride of `unit`, or 0. Errors: not_representable
/// with reason `multi_digit`.
Result<Strides> to_strides(const Digits& digits, std::span<const Index> unit = {});

/// The packed layout with this map. Reasons of not_representable, the first that applies: empty, offset,
/// negative_stride, broadcast, padding, order. Other errors: undecided.
Result<PackedLayout> to_packed_layout(const Digits& digits);

/// The linear layout with this map. Reasons of not_representable: offset, not_power_of_two, negative_stride,
/// carry. Other errors: undecided.
Result<LinearLayout> to_linear_layout(const Digits& digits);
/// As above, for any function on a box, such as a swizzle; `groups` as in digits_by_tables.
Result<LinearLayout> to_linear_layout(std::span<const Index> box, const OffsetFunction& offset,
                                      std::span<const std::vector<std::size_t>> groups);

namespace detail {

/// Checks the conditions of packed and tiled layouts, in the order in which they are reported: empty, offset,
/// negative_stride, broadcast. `target` names the notation in messages.
Result<void> check_dense_candidate(const Digits& digits, std::string_view target);

}  // namespace detail
}  // namespace tessera
