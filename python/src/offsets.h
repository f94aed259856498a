// SPDX-License-Identifier: Apache-2.0
// All offsets of a layout.
#pragma once

#include <span>

#include "tessera/notation/layout.h"

namespace tessera::python {

/// Writes the offset of every index, in row-major order. `out` has layout.size() elements. Layouts with
/// digits take less than a nanosecond per index, because their offset is a sum with one term for each
/// dimension.
void write_offsets(const Layout& layout, std::span<Index> out);

}  // namespace tessera::python
