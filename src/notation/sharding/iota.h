// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the iota of a list of devices.
#pragma once

#include <optional>
#include <span>

#include "tessera/notation/sharding.h"

namespace tessera::detail {

/// The canonical iota that lists these devices, if there is one. O(list * digits).
std::optional<IotaDevices> iota_of(std::span<const Index> devices);

}  // namespace tessera::detail
