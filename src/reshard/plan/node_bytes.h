// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reshard/plan/plan_state.h"

namespace tessera::detail {

/// The bytes that enter nodes from other nodes. Requires that the state has nodes.
NodeBytes node_bytes(const ReshardPlan::State& state);

}  // namespace tessera::detail
