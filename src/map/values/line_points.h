// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts the points of a domain line by line.
#pragma once

#include <optional>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The number of points of a domain. Requires a variable such that each constraint is linear in it, or
/// depends on it alone and periodically, or does not contain it; the other variables must have at most
/// `lines` points. Empty for any other domain, or if the number overflows 64 bits. A line of any length is
/// counted in one step. O(lines * constraints + period).
std::optional<Index> count_by_lines(const Domain& domain, Index lines);

}  // namespace tessera::detail
