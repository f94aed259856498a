// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds checks for parsed, untrusted plans.
#pragma once

#include "relayout/state.h"

namespace tessera::moving {

/// Whether threads may cut the axis that the part names: it has no table, and the kernel does not take it as
/// a whole.
bool may_be_cut(const Part& part);
/// How many units the axis has.
Index units_of(const Part& part);

/// Whether every byte that the part reads, or writes including its slack, is in the range. Sums that leave 64
/// bits are not.
bool reads_inside(const Part& part, ByteRange allowed);
bool writes_inside(const Part& part, ByteRange allowed);

}  // namespace tessera::moving
