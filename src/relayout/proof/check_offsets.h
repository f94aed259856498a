// SPDX-License-Identifier: Apache-2.0
/// \file
/// The check that the offsets of a part are those of the layouts, for all of its indices.
#pragma once

#include "relayout/proof/part_box.h"

namespace tessera::moving {

/// True if each index of the box has the offsets that the nest gives it, on both sides. Axes that no summand
/// of either layout depends on together are independent and are checked one by one; the others are checked in
/// all combinations, within the budget.
bool offsets_match(const IndexNest& nest, const PartBox& box, const Sides& sides, Budget& budget);

}  // namespace tessera::moving
