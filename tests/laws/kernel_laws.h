// SPDX-License-Identifier: Apache-2.0
/// \file
/// The law of kernels: every kernel of every instruction set of this machine does what its scalar twin does,
/// reads nothing else and writes nothing else.
#pragma once

#include <random>

#include "relayout/kernels/kernel.h"

namespace tessera::testing_kernels {

using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high);

/// Streamed or not, staged or not if the kernel has both, with each instruction set.
void check_on_all(moving::Leaf leaf);

/// The next stride of a destination: nothing overlaps; some lines are whole, some have a gap.
Index grow(Random& random, Index bytes);

/// Loops around a region, some of them between its rows and its columns.
void add_loops(Random& random, moving::Leaf& leaf, Index region_bytes, Index dst_bytes);

}  // namespace tessera::testing_kernels
