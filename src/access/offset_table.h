// SPDX-License-Identifier: Apache-2.0
/// \file
/// The offsets of a layout by its 1-D index: first dimension fastest.
#pragma once

#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The offset of one index. Requires 0 <= index < size().
Index offset_at(const Layout& layout, Index index);

/// All offsets. Errors: limit (more than `most` indices).
Result<std::vector<Index>> offset_table(const Layout& layout, Index most);

}  // namespace tessera
