// SPDX-License-Identifier: Apache-2.0
/// \file
/// Accesses by index maps in closed form.
#pragma once

#include <optional>
#include <span>

#include "access/start_counts.h"
#include "tessera/access/access.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// What all instructions of an access fetch from global memory.
struct AccessSums {
  SegmentReport sum = {};
  __int128 instructions = 0;  ///< those with an active lane
  Index worst_warp = 0;       ///< the first warp with an instruction that fetches `worst_sectors`
  Index worst_sectors = 0;
  bool aligned = true;  ///< every address is a multiple of the instruction's width
};

/// Counts an access of any size, if the byte that a lane touches is a sum of a part that depends on the lane
/// and of a part that depends on the warp and the value. Exact; agrees with counting one by one. Empty if the
/// address is not such a sum, if some index may lie outside the layout's box, if a vector is not proved to be
/// consecutive, if the start of a warp depends on combinations of variables with more than `most_points`
/// values, for accesses in a window, for elements that are not whole bytes, and if a sum exceeds 64 bits.
/// O(variables * digits * segment size + most_points).
std::optional<AccessSums> count_in_closed_form(const Access& access, const Layout& layout,
                                               const AccessOptions& options, Index most_points);

}  // namespace tessera::detail
