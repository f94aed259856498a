// SPDX-License-Identifier: Apache-2.0
#include "placement/places_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::detail {

std::string some_places(std::span<const Place> places, std::span<const PlacementAxis> axes) {
  constexpr std::size_t kMost = 16;
  std::string out = to_string(places.first(std::min(kMost, places.size())), axes);
  if (places.size() > kMost) out += fmt::format(" and {} more", places.size() - kMost);
  return out;
}

}  // namespace tessera::detail
