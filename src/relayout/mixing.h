// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which movers of a part the layouts mix, and that offsets move as the part says.
#pragma once

#include "relayout/part_box.h"

namespace tessera::moving {

/// Is each index of the box at the part's offset, on both sides? Movers that no summand of the layouts sees
/// together are checked one by one, the others in all combinations, as far as the budget allows.
bool moves_hold(const PartMoves& moves, const PartBox& box, const Sides& sides, Budget& budget);

}  // namespace tessera::moving
