// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reshard/plan/plan_state.h"

namespace tessera::detail {

/// Reassigns the parts of the target to places, so that less moves. Errors: limit.
Result<void> relabel(ReshardPlan::State& state, Relabel how);

}  // namespace tessera::detail
