// SPDX-License-Identifier: Apache-2.0
// simplify must be idempotent, and must keep the domain and the value at every point of a small box. The
// printed and reparsed result must too. Tested for the map whose text is the input, and for that map shifted
// to the ends of the 64-bit range.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string_view>

#include "laws/simplify_laws.h"

namespace {

using tessera::IndexMap;

void require(const std::string& broken, const IndexMap& map) {
  if (broken.empty()) return;
  std::cerr << broken << " for " << tessera::laws::text_of(map) << "\n";
  std::abort();
}

void check(const IndexMap& map) {
  constexpr tessera::Index kMostPoints = 4096;
  std::mt19937_64 random(1);
  const auto points = point_count(box_of(map.domain()));
  for (const auto mode : {tessera::Points::replace, tessera::Points::preserve}) {
    const IndexMap simple = simplify(map, mode);
    require(tessera::laws::check_idempotent(simple, mode), map);
    require(simple.variables().size() == map.variables().size() ? "" : "variables disappeared", map);
    if (!points || *points > kMostPoints) continue;
    // At points where the input has no value (a division by zero, an intermediate overflow), any result is
    // correct.
    require(tessera::laws::check_same_meaning(map, simple, random), map);
    require(tessera::laws::check_text_has_values(map, simple, random), map);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1024) return 0;
  const auto map = tessera::parse_index_map(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!map) return 0;
  check(*map);
  std::mt19937_64 random(size);
  check(tessera::laws::moved_to_the_ends(*map, random));
  return 0;
}
