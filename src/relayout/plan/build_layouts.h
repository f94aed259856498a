// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of a copy between any layouts.
#pragma once

#include "relayout/state.h"

namespace tessera::moving {

/// Adds the parts of a copy between layouts of which at least one has no digits. If tables would be too long,
/// sets State::elementwise instead.
void build_from_layouts(State& state, const Layout& src, const Layout& dst);

}  // namespace tessera::moving
