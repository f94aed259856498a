// SPDX-License-Identifier: Apache-2.0
/// \file
/// What AVX-512 with VBMI adds to the other kernels of AVX-512.
#pragma once

#include "relayout/leaf.h"

namespace tessera::moving {

/// Transposes single bytes to long columns that begin anywhere within lines, past the caches, and ends with a
/// fence. False, and nothing is done, where columns are whole lines or short.
bool shift_bytes(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds);

}  // namespace tessera::moving
