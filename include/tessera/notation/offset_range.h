// SPDX-License-Identifier: Apache-2.0
/// \file
/// The smallest and the largest offset of a layout.
#pragma once

#include "tessera/base/result.h"
#include "tessera/expr/interval.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The smallest and the largest offset over the box, both of which some index has. Exact. Digits, bases over
/// F2 and swizzles need no search, and other maps are looked at where their parts depend on each other only.
/// Requires a box that is not empty. Errors: undecided (the parts that depend on each other have more than
/// kTableLimit indices together).
Result<Interval> offset_range(const Layout& layout);

}  // namespace tessera
