// SPDX-License-Identifier: Apache-2.0
#include "cli/suggestion.h"

#include <algorithm>

#include "base/edit_distance.h"

namespace tessera::cli {

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  std::string best;
  std::size_t distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : words) {
    const std::size_t d = detail::edit_distance(word, candidate);
    if (d < distance) {
      distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tessera::cli
