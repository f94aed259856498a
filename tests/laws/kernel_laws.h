// SPDX-License-Identifier: Apache-2.0
/// \file
/// The law of kernels: on every instruction set of this machine, a kernel reads and writes the same bytes as
/// the scalar kernel.
#pragma once

#include <random>

#include "relayout/kernels/kernel.h"

namespace tessera::testing_kernels {

using Random = std::mt19937_64;

Index pick(Random& random, Index low, Index high);

/// Checks the kernel with and without streaming, with and without staging if it has both, on each instruction
/// set.
void check_on_all(moving::Sweep sweep);

/// Returns the next stride of a destination, at random with or without a gap, so that elements do not overlap
/// and some lines are whole.
Index grow(Random& random, Index bytes);

/// Loops around a region, some of them between its rows and its columns.
void add_loops(Random& random, moving::Sweep& sweep, Index region_bytes, Index dst_bytes);

}  // namespace tessera::testing_kernels
