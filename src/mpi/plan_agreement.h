// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks that all ranks have the same plan.
#pragma once

#include "mpi/communicator.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera::mpi {

/// Collective. Errors: bad_option with reason plan_mismatch, which names two ranks and the first array that
/// differs; rank_failed. `slice_bytes` is part of the plan.
Result<void> agree_on_plan(Communicator& comm, const ReshardPlan& plan, Index slice_bytes);

}  // namespace tessera::mpi
