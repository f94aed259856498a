// SPDX-License-Identifier: Apache-2.0
/// \file
/// What AVX-512 with VBMI adds to the other kernels of AVX-512.
#pragma once

#include "relayout/leaf.h"

namespace tessera::moving {

/// Streaming transposition of single bytes to long columns that begin anywhere within lines; ends with a
/// fence. False, and nothing is done, if columns are whole lines or short.
bool shift_bytes(const Leaf& leaf, const std::byte* src, std::byte* dst, const Bounds& bounds);

}  // namespace tessera::moving
