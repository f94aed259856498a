// SPDX-License-Identifier: Apache-2.0
#include "placement/places_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "placement/limits.h"

namespace tessera::detail {

std::string some_places(std::span<const Place> places, std::span<const PlacementAxis> axes) {
  std::string out = to_string(places.first(std::min(kPlacementLimits.named_places, places.size())), axes);
  if (places.size() > kPlacementLimits.named_places)
    out += fmt::format(" and {} more", places.size() - kPlacementLimits.named_places);
  return out;
}

}  // namespace tessera::detail
