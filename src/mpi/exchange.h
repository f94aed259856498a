// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sends and receives the messages of one rank.
#pragma once

#include <cstddef>
#include <span>

#include "mpi/communicator.h"
#include "mpi/schedule.h"
#include "tessera/mpi/reshard.h"

namespace tessera::mpi {

/// The memory of all arrays at this rank.
struct LocalArrays {
  std::span<const std::span<const std::byte>> sources;
  std::span<const std::span<std::byte>> targets;
};

/// Sends and receives all slices. Errors: rank_failed, those of make_plan.
Result<MpiReport> exchange(Communicator& comm, const ReshardPlan& plan, const Schedule& schedule,
                           const LocalArrays& arrays, const MpiOptions& options);

}  // namespace tessera::mpi
