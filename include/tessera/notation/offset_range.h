// SPDX-License-Identifier: Apache-2.0
/// \file
/// The smallest and the largest offset of a layout.
#pragma once

#include "tessera/base/result.h"
#include "tessera/expr/interval.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The smallest and the largest offset over the box; both occur. Exact. Digits, bases over F2 and swizzles
/// need no search; of other maps, only parts that depend on each other are enumerated together. Requires a
/// nonempty box. Errors: undecided (parts that depend on each other have more than kTableLimit indices in
/// total).
Result<Interval> offset_range(const Layout& layout);

}  // namespace tessera
