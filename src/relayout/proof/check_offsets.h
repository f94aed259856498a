// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which movers of a part the layouts mix, and that offsets move as the part says.
#pragma once

#include "relayout/proof/part_box.h"

namespace tessera::moving {

/// True if each index of the box has the offsets that the part gives it, on both sides. Movers that no
/// summand of either layout depends on together are independent and are checked one by one; the others are
/// checked in all combinations, within the budget.
bool moves_hold(const PartMoves& moves, const PartBox& box, const Sides& sides, Budget& budget);

}  // namespace tessera::moving
