// SPDX-License-Identifier: Apache-2.0
/// \file
/// The choice of the kernel for a leaf.
#pragma once

#include "relayout/leaf.h"
#include "tessera/relayout/plan.h"

namespace tessera::moving {

/// The fastest kernel for the leaf on this instruction set, or scalar_kernel if there is none. `automatic`
/// means best_isa(). Takes a few comparisons and no lock.
Kernel kernel_for(const Leaf& leaf, Isa isa);

/// True if this build has kernels for the instruction set and this machine can run them.
bool isa_available(Isa isa);

/// The best available instruction set.
Isa best_isa();

/// Copies a leaf of any kind, element by element, in plain C++.
void scalar_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds);

}  // namespace tessera::moving
