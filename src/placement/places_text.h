// SPDX-License-Identifier: Apache-2.0
/// \file
/// Places in messages.
#pragma once

#include <span>
#include <string>

#include "tessera/placement/placement.h"

namespace tessera::detail {

/// As to_string, but at most 16 places, then ` and 5 more`.
std::string some_places(std::span<const Place> places, std::span<const PlacementAxis> axes);

}  // namespace tessera::detail
