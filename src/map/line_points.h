// SPDX-License-Identifier: Apache-2.0
// Counting the points of a domain line by line.
#pragma once

#include <optional>

#include "tessera/map/domain.h"

namespace tessera::detail {

// The number of points, where along some variable every constraint is linear with a constant factor,
// periodic, or does not mention it, and the other variables have at most `lines` points; nothing otherwise,
// or where the number leaves 64 bits. A line of any length is counted in one step. O(lines * constraints
// + period).
std::optional<Index> count_by_lines(const Domain& domain, Index lines);

}  // namespace tessera::detail
