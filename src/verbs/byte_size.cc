// SPDX-License-Identifier: Apache-2.0
#include "verbs/byte_size.h"

#include <charconv>

#include "tessera/base/index.h"

namespace tessera::verbs {

std::optional<Index> parse_byte_size(std::string_view text) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || value < 0) return std::nullopt;
  constexpr std::string_view kUnits = "KMGT";
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (unit.empty()) return value;
  const std::size_t power = kUnits.find(unit.front());
  if (power == kUnits.npos || (unit.size() > 1 && unit.substr(1) != "iB")) return std::nullopt;
  return checked_mul(value, Index{1} << (10 * (power + 1)));
}

}  // namespace tessera::verbs
