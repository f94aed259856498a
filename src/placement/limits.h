// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of placements.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason. Those of public functions are next to them:
/// kMaxMaps, kMaxReplicas.
struct PlacementLimits {
  Index value = Index{1} << 62;       ///< of a coordinate or a size, so that sums of two fit in 64 bits
  Index enumerated = Index{1} << 24;  ///< places that are made and sorted
  std::size_t named_places = 16;      ///< in a text
};
inline constexpr PlacementLimits kPlacementLimits = {};

}  // namespace tessera::detail
