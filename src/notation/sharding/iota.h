// SPDX-License-Identifier: Apache-2.0
/// \file
/// From an iota to its list of devices, and back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/notation/sharding.h"

namespace tessera::detail {

/// The list with each number x replaced by the `extent` numbers x, x + stride, ...
std::vector<Index> with_digit(std::span<const Index> list, Index extent, Index stride);

/// The devices in order. The iota need not be canonical.
std::vector<Index> devices_of(const IotaDevices& iota);

/// The canonical iota that lists these devices, if there is one. O(list * digits).
std::optional<IotaDevices> iota_of(std::span<const Index> devices);

}  // namespace tessera::detail
