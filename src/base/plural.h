// SPDX-License-Identifier: Apache-2.0
/// \file
/// Nouns with counts, and lists, for messages.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::detail {

/// `1 entry`, `2 entries`, `0 dimensions`, `3 indices`, `4 arrays`.
inline std::string plural(std::integral auto count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  for (const auto& [end, ending] : {std::pair<std::string_view, std::string_view>{"index", "indices"},
                                    {"ay", "ays"},
                                    {"ey", "eys"},
                                    {"y", "ies"}}) {
    if (noun.ends_with(end))
      return fmt::format("{} {}{}", count, noun.substr(0, noun.size() - end.size()), ending);
  }
  return fmt::format("{} {}s", count, noun);
}

/// `.txt`, `.txt or .json`, `.txt, .c or .json`.
inline std::string alternatives(std::span<const std::string> all) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out += (i == 0 ? "" : i + 1 < all.size() ? ", " : " or ") + all[i];
  return out;
}

/// `12 bytes`, or `4 bits` if that is not a whole number of bytes.
inline std::string size_text(std::int64_t bits) {
  return bits % 8 != 0 ? plural(bits, "bit") : plural(bits / 8, "byte");
}

}  // namespace tessera::detail
