// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counted nouns of messages.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::detail {

/// `1 entry`, `2 entries`, `0 dimensions`. The noun is regular.
inline std::string plural(std::size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  const bool ies = noun.ends_with('y');
  if (ies) noun.remove_suffix(1);
  return fmt::format("{} {}{}", count, noun, ies ? "ies" : "s");
}

}  // namespace tessera::detail
