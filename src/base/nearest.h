// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean": the closest of several words.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "base/edit_distance.h"

namespace tessera::detail {

/// The closest word, if at most a third of its characters differ and some agree; empty otherwise. A word that
/// differs only in case is the closest.
inline std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  std::string best;
  std::size_t distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto same = [&](char a, char b) { return lower(a) == lower(b); };
  for (const std::string& candidate : words) {
    if (std::ranges::equal(word, candidate, same)) return candidate;
    const std::size_t d = edit_distance(word, candidate);
    if (d < std::min(distance, std::max(word.size(), candidate.size()))) {
      distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tessera::detail
