// SPDX-License-Identifier: Apache-2.0
/// \file
/// A message as ranges of bytes, for transports that take lists of ranges and need no packing.
#pragma once

#include <vector>

#include "reshard/limits.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// Bytes that are consecutive in the memory of both places.
struct Segment {
  Index from = 0;  ///< first byte in the sender's array
  Index to = 0;    ///< first byte in the receiver's array
  Index bytes = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

/// The segments of a message of this plan, as long as they can be, in the order of its boxes. Errors: limit
/// (more than kReshardLimits.segments), unsupported_width (elements that are not whole bytes).
Result<std::vector<Segment>> segments(const ReshardPlan& plan, const ReshardMessage& message);

}  // namespace tessera
