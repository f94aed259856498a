// SPDX-License-Identifier: Apache-2.0
/// \file
/// The choice of the kernel for a sweep.
#pragma once

#include "relayout/sweep.h"

// Kernels see numbers of bytes, no layouts.
namespace tessera {
enum class Isa : std::uint8_t;
}

namespace tessera::moving {

/// The fastest kernel for the sweep on this instruction set, or scalar_kernel if there is none. `automatic`
/// means best_isa(). Takes a few comparisons and no lock.
Kernel kernel_for(const Sweep& sweep, Isa isa);

/// True if this build has kernels for the instruction set and this machine can run them.
bool isa_available(Isa isa);

/// The best available instruction set.
Isa best_isa();

}  // namespace tessera::moving
