// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of a copy between layouts with digits.
#pragma once

#include "relayout/state.h"

namespace tessera::moving {

/// Adds the parts of a copy between two digit forms of one shape, which has no extent 0. Returns false and
/// adds nothing if a table would be too long or there would be too many parts.
bool build_from_digits(State& state, const Digits& src, const Digits& dst);

}  // namespace tessera::moving
