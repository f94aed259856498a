// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime values that are the same element of the running program.
#pragma once

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// Whether both are the same element, whatever their clamps. `same_index`: their maps start at the same
/// index; otherwise only elements that do not depend on the index are known to be the same. False means "not
/// proved".
bool same_value(const RuntimeValue& a, const RuntimeValue& b, bool same_index);

/// The indexing with one variable for each element that several variables hold: the value with the widest
/// clamp stays, and the others are clamped again. Variables whose clamps overlap only in part stay. Not
/// simplified.
Indexing with_joined_values(Indexing x);

}  // namespace tessera::detail
