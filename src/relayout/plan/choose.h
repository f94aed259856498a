// SPDX-License-Identifier: Apache-2.0
/// \file
/// The choice of a sweep for a nest: its mover, axes and loop order.
#pragma once

#include "relayout/nest.h"
#include "relayout/state.h"

namespace tessera::moving {

/// Sets the mover, axes and loops of the sweep from a normalized nest, whose dims it consumes.
void choose_sweep(State& state, Nest& nest, Sweep& sweep);
/// Like choose_sweep, for a fill of the nest's destination.
void choose_fill(State& state, Nest& nest, const mover::Fill& fill, Sweep& sweep);

}  // namespace tessera::moving
