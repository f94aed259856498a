// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "relayout/sweep.h"

namespace tessera::moving {

/// Copies any sweep, element by element, in plain C++.
void scalar_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds);

}  // namespace tessera::moving
