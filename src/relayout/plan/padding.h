// SPDX-License-Identifier: Apache-2.0
/// \file
/// The padding of the destination.
#pragma once

#include "relayout/state.h"

namespace tessera::moving {

/// For Padding::any: lets parts overwrite the padding between the end of each contiguous stretch and the end
/// of its cache line (Sweep::slack). Does nothing if the digits are not nested.
void add_slack(State& state, const Digits* dst, Index elements);

/// True if the digits of the destination prove that the part's slack is padding. False proves nothing.
bool slack_is_padding(const PlanPart& part, const Layout& dst, Index element_bytes);

/// Adds parts that fill every offset in [0, elements) without an element. If the destination has no nested
/// digits, or this takes too many parts, one part fills the whole buffer first and the plan becomes one
/// chunk.
void add_padding(State& state, const Digits* dst, Index elements);

}  // namespace tessera::moving
