// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs programs of bits.
#pragma once

#include <cstddef>

#include "relayout/bits/bit_program.h"

namespace tessera::moving {

/// Runs iterations [begin, end) of the outermost loop. Both buffers begin at bit 0 and have all bits of the
/// program; they must not overlap. Allocates nothing.
void run(const BitProgram& program, Index begin, Index end, const std::byte* src, std::byte* dst);

}  // namespace tessera::moving
