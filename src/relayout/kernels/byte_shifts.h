// SPDX-License-Identifier: Apache-2.0
/// \file
/// The kernel that needs AVX-512 VBMI; all others need only AVX-512.
#pragma once

#include "relayout/sweep.h"

namespace tessera::moving {

/// Transposes single bytes with streaming stores into long columns that begin anywhere within cache lines,
/// and ends with a fence. Returns false without copying if columns are short or consist of whole lines.
bool shift_bytes(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds);

}  // namespace tessera::moving
