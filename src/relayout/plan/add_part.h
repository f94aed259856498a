// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts of a plan: the store policy, cut and kernel of each, and their division into chunks.
#pragma once

#include "relayout/nest.h"
#include "relayout/state.h"

namespace tessera::moving {

/// Appends a part that executes a normalized nest. With a fill, the part writes its pattern to the nest's
/// destination instead.
void add_part(State& state, Nest& nest);
void add_part(State& state, Nest& nest, const mover::Fill& fill);

/// Sets chunks and slices. Requires that all parts have been added.
void divide_work(State& state);

}  // namespace tessera::moving
