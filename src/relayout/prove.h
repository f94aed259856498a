// SPDX-License-Identifier: Apache-2.0
/// \file
/// A proof of a plan from what its layouts are, without looking at elements.
#pragma once

#include "relayout/state.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// True when the parts of the plan provably write every element of the destination exactly once from the
/// place of the same index in the source. False says nothing: the plan may be right in a way that this does
/// not see. It uses no result of the planner: offsets of the plan, also each entry of its tables, are turned
/// back into indices by one of the layouts (part_moves.h). The indices of a part must be a box, of which each
/// loop and each table takes values of its own (part_box.h), and the layouts sums that no two of them mix;
/// what they do mix is looked at (mixing.h). What the sums are, planner and proof ask of the same function
/// (notation/summands.h), so of each loop the last value is evaluated too. Parts that fill are not looked at.
/// O(parts^2 * rank + entries of tables).
bool prove(const State& state, const Layout& src, const Layout& dst);

}  // namespace tessera::moving
