// SPDX-License-Identifier: Apache-2.0
/// \file
/// A number for what a plan does.
#pragma once

#include <string>

#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// XXH3-128, as 32 hexadecimal digits, of the places, of the texts of all arrays, and of the bytes between
/// each pair of places. The same on every machine; plans with the same hash have the same messages.
std::string plan_hash(const ReshardPlan& plan);

}  // namespace tessera
