// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which movers of a part the layouts mix, and that offsets move as the part says.
#pragma once

#include "relayout/part_box.h"

namespace tessera::moving {

/// Does each index of the box lie where the part says, on both sides? Movers that no function of the layouts'
/// sums sees together are held one by one, the others in all combinations, as far as the budget goes.
bool moves_hold(const PartMoves& moves, const PartBox& box, const Sides& sides, Budget& budget);

}  // namespace tessera::moving
