// SPDX-License-Identifier: Apache-2.0
/// \file
/// A proof of a plan from the structure of its layouts, without enumerating elements.
#pragma once

#include "relayout/state.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// True if the parts of the plan provably write every element of the destination exactly once from the source
/// offset of the same index. False means nothing: the plan may be right in a way that this does not
/// recognize. It uses no result of the planner: one of the layouts inverts offsets of the plan, and each
/// entry of its tables, to indices (part_moves.h). The indices of a part must be a box in which each loop and
/// each table has its own values (part_box.h), and the layouts must be sums that do not mix two of them;
/// combinations that they do mix are enumerated (mixing.h). Planner and proof get these sums from the same
/// function (notation/summands.h), so the last value of each loop is evaluated too. Parts that fill are
/// ignored. O(parts^2 * rank + entries of tables).
bool prove(const State& state, const Layout& src, const Layout& dst);

}  // namespace tessera::moving
