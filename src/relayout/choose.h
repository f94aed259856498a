// SPDX-License-Identifier: Apache-2.0
/// \file
/// From a nest to a leaf: kind, kernel, macro block, loop order, store policy, cuts.
#pragma once

#include "relayout/nest.h"
#include "relayout/state.h"

namespace tessera::moving {

/// Bytes of a cache line.
inline constexpr Index kLine = 64;

/// Kind, axes and loops of a normalized nest, whose terms it consumes. add_part does the rest of the leaf.
void choose_leaf(State& state, Nest& nest, Leaf& leaf);

/// Appends the part of a normalized nest. With `fill` it writes the pattern instead.
void add_part(State& state, Nest& nest, const std::array<std::byte, 16>* fill = nullptr);

/// Chunks and slices, after all parts are known.
void divide_work(State& state);

/// Bytes of the L2 cache of one core; 1 MB if the system does not say.
Index system_l2_bytes();

}  // namespace tessera::moving
