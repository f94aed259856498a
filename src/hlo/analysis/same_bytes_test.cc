// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/same_bytes.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/index_walk.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

using Index2 = std::vector<Index>;

// The movements of x, and what each holds: an index, to an index of x[4,6].
constexpr std::string_view kMovements = R"(ENTRY e {
  x = f32[4,6]{1,0} parameter(0)
  t = f32[6,4]{1,0} transpose(x), dimensions={1,0}
  s = f32[2,3]{1,0} slice(x), slice={[1:3], [0:6:2]}
  r = f32[3,8]{1,0} reshape(x)
  v = f32[4,6]{1,0} reverse(x), dimensions={1}
  u = f32[2,3]{1,0} slice(x), slice={[2:4], [1:6:2]}
  ROOT b = f32[2,4,6]{2,1,0} broadcast(x), dimensions={1,2}
})";

Index2 element_of(std::string_view name, const Index2& i) {
  if (name == "t") return {i[1], i[0]};
  if (name == "s") return {1 + i[0], 2 * i[1]};
  if (name == "u") return {2 + i[0], 1 + 2 * i[1]};
  if (name == "r") return {(i[0] * 8 + i[1]) / 6, (i[0] * 8 + i[1]) % 6};
  if (name == "v") return {i[0], 5 - i[1]};
  if (name == "b") return {i[1], i[2]};
  return i;
}

// `no` once named one byte, and not where the elements are.
TEST(SameBytesTest, PlacesAreThoseOfEveryElementThatBothHold) {
  const ParsedModules parsed = parse_hlo(kMovements);
  ASSERT_TRUE(parsed.ok());
  const Computation& entry = *parsed.modules[0].entry;
  int maps = 0;
  for (const auto& a : entry.instructions) {
    for (const auto& b : entry.instructions) {
      SCOPED_TRACE(std::string(a->name) + " " + std::string(b->name));
      const SameBytes answer = same_bytes({a.get()}, {b.get()});
      if (answer.verdict == Verdict::yes) {
        EXPECT_FALSE(answer.places);
        continue;
      }
      std::map<Index2, Index2> held;  // by element of x
      Index2 index(a->type.array().rank(), 0);
      bool twice = false;
      do {
        twice = !held.emplace(element_of(a->name, index), index).second || twice;
      } while (detail::next_index(index, a->type.array().dims));
      if (twice) {
        EXPECT_EQ(answer.places_reason, "the first holds an element more than once, so it may not be unique");
        continue;
      }
      int shared = 0;
      index.assign(b->type.array().rank(), 0);
      do {
        const auto found = held.find(element_of(b->name, index));
        shared += found == held.end() ? 0 : 1;
        if (!answer.places) continue;
        const auto place =
            answer.places->domain().contains(index) ? answer.places->evaluate(index) : std::nullopt;
        ASSERT_EQ(place.has_value(), found != held.end()) << to_string(*answer.places);
        if (place) {
          EXPECT_EQ(*place, found->second) << to_string(*answer.places);
        }
      } while (detail::next_index(index, b->type.array().dims));
      ASSERT_EQ(answer.places.has_value(), shared > 0) << answer.places_reason;
      maps += answer.places ? 1 : 0;
    }
  }
  EXPECT_GT(maps, 20);
}

}  // namespace
}  // namespace tessera
