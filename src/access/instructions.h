// SPDX-License-Identifier: Apache-2.0
/// \file
/// The instructions of an access.
#pragma once

#include "access/thread_table.h"
#include "tessera/access/access.h"

namespace tessera::detail {

/// One instruction of one warp: the box index of the first element of each lane's vector, or 0 if the lane is
/// not active.
struct AccessInstruction {
  std::vector<Index> indices = {};
  std::uint64_t active = 0;
  Index warp = 0;
};

/// The instructions of an access to a layout, ordered by warp, then by vector of values. Instructions without
/// an active lane are omitted. `offsets` has the layout's offset for each 1-D index. Errors: not_applicable
/// (the values of a vector are not consecutive), unsupported_width, bad_option (the target has no matrix
/// access), overflow (a byte address of 2^62 or more).
Result<std::vector<AccessInstruction>> access_instructions(const Access& access, const ThreadTable& table,
                                                           std::span<const Index> offsets,
                                                           const AccessOptions& options);

}  // namespace tessera::detail
