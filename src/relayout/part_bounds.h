// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a part may do, whatever its numbers are: for plans that were read.
#pragma once

#include "relayout/state.h"

namespace tessera::moving {

/// Whether threads may cut the axis that the part says: no table, nor what a kernel takes as a whole.
bool may_be_cut(const Part& part);
/// How many units the axis has.
Index units_of(const Part& part);

/// Whether every byte that the part reads, or writes with its slack, lies in the range. Sums that leave 64
/// bits do not.
bool reads_inside(const Part& part, ByteRange allowed);
bool writes_inside(const Part& part, ByteRange allowed);

}  // namespace tessera::moving
