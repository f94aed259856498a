// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shared by the conversions: how a "no such layout" is said, and walking a box.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/digits.h"

namespace tessera::detail {

/// `(1, 2)`.
std::string point_text(std::span<const Index> index);

/// not_representable with its reason, which also ends the message, and, where there is one, the witness.
Failure refuse(std::string reason, std::string message, std::string witness = {});

/// `entangled`: at `index` the offset is `value`, the coordinates alone add up to `sum`.
Failure entangled(std::span<const std::size_t> dims, std::span<const Index> index, Index value, Index sum);

/// Advances `index` over the dimensions `dims` in row-major order; false after the last point, with all of
/// them 0.
bool next_point(std::vector<Index>& index, std::span<const std::size_t> dims, std::span<const Index> box);

/// What packed and tiled layouts both need, in the order reasons are reported: empty, offset,
/// negative_stride, broadcast. `target` names the notation in messages.
Result<void> check_dense_candidate(const Digits& digits, std::string_view target);

}  // namespace tessera::detail
