// SPDX-License-Identifier: Apache-2.0
/// \file
/// A proof of a plan from digits, without looking at elements.
#pragma once

#include "relayout/state.h"
#include "tessera/notation/digits.h"

namespace tessera::relayout {

/// True when the parts of the plan provably write every element of the destination exactly once from the
/// place of the same index in the source. False says nothing: the plan may be right in a way that this does
/// not see. It uses nothing that the planner computed: offsets of the plan are turned back into indices by
/// the destination's digits, and those forward into the source's. Parts that fill are not looked at.
/// O(parts^2 * rank).
bool prove(const State& state, const Digits& src, const Digits& dst);

}  // namespace tessera::relayout
