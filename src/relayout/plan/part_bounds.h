// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bounds checks for parsed, untrusted plans.
#pragma once

#include "relayout/state.h"

namespace tessera::moving {

/// True if threads may split the axis `part.cut`: it has no table, and the kernel does not need the whole
/// axis.
bool may_be_cut(const PlanPart& part);
/// The extent of the axis `part.cut`.
Index units_of(const PlanPart& part);

/// True if every byte that the part reads (writes, including slack) is in the range. False if an offset does
/// not fit in 64 bits.
bool reads_inside(const PlanPart& part, ByteRange allowed);
bool writes_inside(const PlanPart& part, ByteRange allowed);

}  // namespace tessera::moving
