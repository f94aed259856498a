// SPDX-License-Identifier: Apache-2.0
// simplify keeps the domain and the values at every point of a small box, never grows, and a second time
// changes nothing. The input is the text of a map.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tessera/map/enumerate.h"
#include "tessera/map/simplify.h"
#include "tessera/text/index_map.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1024) return 0;
  const auto read = tessera::parse_index_map(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!read) return 0;
  const tessera::IndexMap& map = *read;
  const auto box = box_of(map.domain());
  const auto points = tessera::point_count(box);
  for (const auto points_mode : {tessera::Points::replace, tessera::Points::preserve}) {
    const tessera::IndexMap simple = simplify(map, points_mode);
    require(simplify(simple, points_mode) == simple);
    require(simple.variables().size() == map.variables().size());
    if (!points || *points > 4096) continue;
    tessera::MapEvaluator before(map);
    tessera::MapEvaluator after(simple);
    for (tessera::BoxRows rows(box); rows.next();) {
      before.run(rows);
      after.run(rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        require(before.inside(i) == after.inside(i));
        for (std::size_t r = 0; before.inside(i) && r < map.results().size(); ++r) {
          // Where the input has no value (a division by zero, an overflow on the way) anything goes.
          require(!before.defined(r, i) || (after.defined(r, i) && after.value(r, i) == before.value(r, i)));
        }
      }
    }
  }
  return 0;
}
