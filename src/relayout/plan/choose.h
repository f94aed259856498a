// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a nest to a leaf: kind, kernel, macro block, loop order, store policy, cuts.
#pragma once

#include "relayout/plan/nest.h"
#include "relayout/state.h"

namespace tessera::moving {

/// Bytes of a cache line.
inline constexpr Index kLine = 64;

/// Sets the kind, axes and loops of the leaf from a normalized nest, whose terms it consumes.
void choose_leaf(State& state, Nest& nest, Leaf& leaf);

/// Appends a part that executes a normalized nest; with `fill`, a part that writes this pattern to the nest's
/// destination.
void add_part(State& state, Nest& nest, const std::array<std::byte, 16>* fill = nullptr);

/// Sets chunks and slices. Requires that all parts have been added.
void divide_work(State& state);

/// Bytes of the L2 cache of one core; 1 MB if the system does not say.
Index system_l2_bytes();

}  // namespace tessera::moving
