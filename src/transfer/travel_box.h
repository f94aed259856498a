// SPDX-License-Identifier: Apache-2.0
/// \file
/// The boxes of messages in their order of travel: packed from one place's array, unpacked into another's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "reshard/plan/place_memory.h"
#include "tessera/base/result.h"
#include "tessera/relayout/relayout.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera::transfer {

using detail::PlaceMemory;
using detail::Side;

/// The elements of one box in the order of travel: a move in local indices, for memories of every kind. Loop
/// k steps the local index of dimension dims[k] on both sides. The last loop is the fastest.
struct TravelBox {
  std::vector<Index> from;  ///< local index of the first element at the sender
  std::vector<Index> to;    ///< local index of the first element at the receiver
  std::vector<std::size_t> dims;
  std::vector<StridedLoop> loops;
  Index elements() const;
};

/// Orders the loops of a box so that the side with longer runs in memory has them in one piece. If the runs
/// are equally long, this is the receiver.
TravelBox travel_box(const MessageBox& box, const PlaceMemory& from, const PlaceMemory& to);

/// Cuts a box into consecutive boxes, in the order of travel, of at most `most` elements each.
void cut(const TravelBox& box, Index most, std::vector<TravelBox>& out);

/// The offset of the first element if the box is contiguous in memory, in the order of travel.
std::optional<Index> contiguous_offset(const TravelBox& box, Side side, const PlaceMemory& memory);

/// Moves boxes. Makes one plan for all boxes of the same shape. Elements have whole bytes.
class BoxMover {
 public:
  /// \name Between an array and a dense buffer. Errors: those of make_plan.
  /// @{
  Result<void> pack(const TravelBox& box, const PlaceMemory& memory, Index element_bytes,
                    const std::byte* array, std::byte* dense);
  Result<void> unpack(const TravelBox& box, const PlaceMemory& memory, Index element_bytes,
                      const std::byte* dense, std::byte* array);
  /// @}
  /// From array to array.
  Result<void> move(const TravelBox& box, const PlaceMemory& from, const PlaceMemory& to, Index element_bytes,
                    const std::byte* source, std::byte* target);

 private:
  PlanCache plans_;
};

}  // namespace tessera::transfer
