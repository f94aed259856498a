// SPDX-License-Identifier: Apache-2.0
/// \file
/// The messages of one rank, in slices, and their order.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/mpi/reshard.h"
#include "transfer/travel_box.h"

namespace tessera::mpi {

/// A part of one array in a message.
struct SliceBox {
  std::size_t array = 0;
  Index element_bytes = 1;
  transfer::TravelBox box;
  Index bytes() const { return box.elements() * element_bytes; }
};

/// A part of the message between this rank and a peer: boxes that are sent together.
struct MessageSlice {
  int peer = 0;
  Index round = 0;
  Index bytes = 0;
  std::vector<SliceBox> boxes;
};

/// Slices in the order of their rounds. Sender and receiver post them in this order.
struct Schedule {
  std::vector<MessageSlice> sends;
  std::vector<MessageSlice> receives;
  std::vector<SliceBox> kept;
};

/// The most bytes of a slice.
Index slice_bytes(const MpiOptions& options);

/// The schedule of one rank. Errors: limit.
Result<Schedule> make_schedule(const ReshardPlan& plan, int rank, Index most_bytes);

}  // namespace tessera::mpi
