// SPDX-License-Identifier: Apache-2.0
/// \file
/// The choice of a sweep for a nest (kind, axes, loop order, store policy, cut) and the division into chunks.
#pragma once

#include "relayout/caches.h"
#include "relayout/plan/nest.h"
#include "relayout/state.h"

namespace tessera::moving {

/// Sets the mover, axes and loops of the sweep from a normalized nest, whose dims it consumes.
void choose_sweep(State& state, Nest& nest, Sweep& sweep);
/// Like choose_sweep, for a fill of the nest's destination.
void choose_fill(State& state, Nest& nest, const mover::Fill& fill, Sweep& sweep);

/// Appends a part that executes a normalized nest. With a fill, the part writes its pattern to the nest's
/// destination instead.
void add_part(State& state, Nest& nest);
void add_part(State& state, Nest& nest, const mover::Fill& fill);

/// Sets chunks and slices. Requires that all parts have been added.
void divide_work(State& state);

}  // namespace tessera::moving
