// SPDX-License-Identifier: Apache-2.0
// Any bytes either parse as a map (in either form) or as an expression, or give a diagnostic inside the text.
// The printed form of a parsed map or expression parses back to the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tessera/text/index_map.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

template <class T>
void check_place(const tessera::Result<T>& read, std::string_view text) {
  require(read || (read.error().span.begin <= read.error().span.end && read.error().span.end <= text.size() &&
                   !read.error().message.empty()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto map = tessera::parse_index_map(text, tessera::DomainPart::optional);
  check_place(map, text);
  if (map) {
    const std::string printed = to_string(*map);
    const auto again = tessera::parse_index_map(printed);
    // A map without variables keeps constants that cannot be folded. The printer may write their signs
    // differently.
    require(again.has_value());
    require(map->known_empty() ? again->known_empty() : to_string(*again) == printed);
  }
  const auto expr = tessera::parse_expr(text);
  check_place(expr, text);
  if (expr) {
    const std::string printed = to_string(*expr);
    const auto again = tessera::parse_expr(printed);
    require(again.has_value());
    require(to_string(*again) == printed);
  }
  const auto older = tessera::parse_legacy_map(text);
  check_place(older, text);
  if (older && !older->map.known_empty()) {
    const auto again = tessera::parse_legacy_map(to_legacy_string(older->map, older->runtime));
    require(again.has_value());
  }
  return 0;
}
