// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which kernel executes a leaf.
#pragma once

#include "relayout/leaf.h"
#include "tessera/relayout/options.h"

namespace tessera::moving {

/// The fastest kernel for the leaf on this instruction set; the scalar twin if there is no other. `automatic`
/// counts as best_isa(). A few comparisons, no lock.
Kernel kernel_for(const Leaf& leaf, Isa isa);

/// Does this build have kernels for it, and can this machine run them?
bool isa_available(Isa isa);

/// The best available one.
Isa best_isa();

/// Every kind, element by element in plain C++.
void scalar_kernel(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds);

}  // namespace tessera::moving
