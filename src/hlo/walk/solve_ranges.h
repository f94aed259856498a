// SPDX-License-Identifier: Apache-2.0
/// \file
/// Range variables that constraints determine.
#pragma once

#include "tessera/hlo/indexing.h"

namespace tessera {

/// Replaces every range variable that a constraint determines: `d0 - s0 * 2 in [0, 1]` allows only s0 = d0
/// floordiv 2. Drops range variables that occur in only one constraint: `d0 + s0 in [0, 4]` with s0 in [0, 2]
/// means `d0 in [-2, 4]`. The relation stays the same; the map is not simplified. `simplified`: the map is
/// simplified now, so that sums show the factors of their variables. Returns whether anything changed.
bool solve_ranges(Indexing& indexing, bool simplified);

}  // namespace tessera
