// SPDX-License-Identifier: Apache-2.0
/// \file
/// A proof of a plan from the structure of its layouts, without enumerating elements.
#pragma once

#include "relayout/state.h"
#include "tessera/notation/layout.h"

namespace tessera::moving {

/// True if the plan provably writes every element of the destination exactly once, from the source offset of
/// the same index. False proves nothing: the plan may be correct for a reason that is not recognized. The
/// proof uses no result of the planner:
///  1. One layout inverts the offsets of each part's loops and tables to indices (index_nest.h).
///  2. These indices must form a box in which each loop and table steps through its own digits (part_box.h).
///  3. If no summand of a layout depends on two of these loops and tables, each is checked alone. Otherwise
///     their combinations are enumerated (check_offsets.h).
///  4. The boxes of all parts must be disjoint, and their sizes must add up to the number of elements.
/// Planner and proof share the function that splits layouts into summands (notation/summands.h). To be
/// independent of that function, the proof also evaluates the layouts at the last value of each loop. Parts
/// that fill are ignored. O(parts^2 * rank + entries of tables).
bool prove(const State& state, const Layout& src, const Layout& dst);

}  // namespace tessera::moving
