// SPDX-License-Identifier: Apache-2.0
/// \file
/// A range of indices of one dimension.
#pragma once

#include "tessera/base/index.h"

namespace tessera::moving {

/// The indices in [first, last).
struct DimRange {
  Index first = 0;
  Index last = 0;
};

}  // namespace tessera::moving
