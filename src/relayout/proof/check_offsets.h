// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks that the offsets of a part are those of the layouts, for all of its indices.
#pragma once

#include "relayout/proof/part_box.h"

namespace tessera::moving {

/// True if each index of the box has the offsets that the nest gives it, on both sides. Axes are independent
/// if no summand of either layout depends on more than one of them. Independent axes are checked one by one,
/// the others in all combinations, within the budget.
bool offsets_match(const IndexNest& nest, const PartBox& box, const LayoutSides& sides, EntryBudget& budget);

}  // namespace tessera::moving
