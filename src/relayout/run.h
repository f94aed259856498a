// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a run does with the parts of a plan.
#pragma once

#include "relayout/state.h"

namespace tessera::moving {

/// Units [first, last) of a part.
struct UnitRange {
  Index first = 0;
  Index last = 0;
};
/// The range of slice number `slice` if the part is split into `slices`.
UnitRange slice_of(const PlanPart& part, Index slice, Index slices);

/// The bounding range of the bytes that these units read (write).
ByteRange src_bytes(const PlanPart& part, UnitRange range);
ByteRange dst_bytes(const PlanPart& part, UnitRange range);

}  // namespace tessera::moving
