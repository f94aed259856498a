// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "hlo/walk/walk_test.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class WalkLimitsTest : public WalkTest {};

// Regression: composing a whole model called by another entry took minutes, only to find that everything is
// read.
TEST_F(WalkLimitsTest, AWalkStopsComposingAtItsLimit) {
  std::string text =
      "add {\n  l = f32[] parameter(0)\n  r = f32[] parameter(1)\n  ROOT s = f32[] add(l, r)\n}\n"
      "f {\n  x0 = f32[4,64,64] parameter(0)\n  z = f32[] constant(0)\n";
  constexpr int kBlocks = 60;
  for (int i = 0; i < kBlocks; ++i) {
    text += fmt::format(
        "  w{0} = f32[4,64,64] reduce-window(x{0}, z), window={{size=1x3x3 pad=0_0x1_1x1_1}}, to_apply=add\n"
        "  {1}x{2} = f32[4,64,64] add(w{0}, x{0})\n",
        i, i + 1 == kBlocks ? "ROOT " : "", i + 1);
  }
  text += "}\nENTRY e {\n  p = f32[4,64,64] parameter(0)\n  ROOT q = f32[4,64,64] call(p), to_apply=f\n}\n";
  read(text);
  const char* const everything =
      "(d0, d1, d2)[s0, s1, s2] -> (s0, s1, s2), domain: d0 in [0, 3], d1 in [0, 63], d2 in [0, 63], s0 in "
      "[0, 3], "
      "s1 in [0, 63], s2 in [0, 63]";
  EXPECT_THAT(back(entry("q"), 0), ElementsAre(everything));
  EXPECT_THAT(forth(entry("q"), 0), ElementsAre(everything));
}

// Regression: the map that replaced a set of too many maps kept the start indices of one of them, so the
// others read nothing.
TEST_F(WalkLimitsTest, TheWholeValueIsForEveryStartIndex) {
  std::string text = "f {\n  a = f32[300] parameter(0)\n";
  std::string parts;
  constexpr int kParts = 129;
  for (int i = 0; i < kParts; ++i) {
    const int from = i * 7 % 258;
    text += fmt::format("  x{} = f32[2] slice(a), slice={{[{}:{}]}}\n", i, from, from + 2);
    parts += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  text += fmt::format("  ROOT c = f32[258] concatenate({}), dimensions={{0}}\n}}\n", parts);
  text += "g {\n  b = f32[300] parameter(0)\n  w = f32[258] fusion(b), kind=kLoop, calls=f\n";
  text += "  s = f32[258] slice(b), slice={[0:258]}\n";
  text += "  h = f32[10] slice(w), slice={[20:30]}\n  z = f32[] constant(0)\n";
  text += "  l = f32[258] pad(h, z), padding=248_0\n  ROOT r = f32[258] add(l, s)\n}\n";
  text += "ENTRY e {\n  p = f32[300] parameter(0)\n  q = f32[258] fusion(p), kind=kLoop, calls=f\n";
  text += "  ROOT t = f32[258] fusion(p), kind=kLoop, calls=g\n}\n";
  read(text);
  EXPECT_THAT(back(entry("q"), 0), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 257], s0 in [0, 299]"));
  EXPECT_THAT(forth(entry("q"), 0), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 299], s0 in [0, 257]"));
  // A whole-value map for part of the start indices does not cover the rest.
  EXPECT_THAT(back(entry("t"), 0),
              UnorderedElementsAre("(d0)[s0] -> (s0), domain: d0 in [248, 257], s0 in [0, 299]",
                                   "(d0) -> (d0), domain: d0 in [0, 257]"));
}

TEST_F(WalkLimitsTest, DiamondsCostWhatTheirDistinctMapsCost) {
  // Each level adds two neighbors: 2^40 paths, 41 elements.
  std::string text = "ENTRY e {\n  v0 = f32[100] parameter(0)\n";
  for (int i = 0; i < 40; ++i) {
    const int n = 100 - i;
    text += fmt::format(
        "  a{0} = f32[{2}] slice(v{0}), slice={{[0:{2}]}}\n  b{0} = f32[{2}] slice(v{0}), "
        "slice={{[1:{1}]}}\n  v{3} = f32[{2}] add(a{0}, b{0})\n",
        i, n, n - 1, i + 1);
  }
  text += "  ROOT r = f32[60] negate(v40)\n}\n";
  read(text);
  const auto grouped = program_.grouped({.value = {&entry("r"), 0}});
  EXPECT_EQ(grouped->back().value.instruction, &entry("v0"));
  EXPECT_EQ(grouped->back().maps.size(), 41U);
  EXPECT_EQ(exactness(grouped->back().maps), Exactness::exact);
}

TEST_F(WalkLimitsTest, TooManyMapsBecomeOneThatSaysSo) {
  // Steps of 1, 2, 4, ...: every path ends at another element.
  std::string text = "ENTRY e {\n  v0 = f32[4096] parameter(0)\n";
  int n = 4096;
  for (int i = 0; i < 11; ++i) {
    const int shift = 1 << i;
    text += fmt::format(
        "  a{0} = f32[{2}] slice(v{0}), slice={{[0:{2}]}}\n  b{0} = f32[{2}] slice(v{0}), "
        "slice={{[{4}:{1}]}}\n  v{3} = f32[{2}] add(a{0}, b{0})\n",
        i, n, n - shift, i + 1, shift);
    n -= shift;
  }
  text += fmt::format("  ROOT r = f32[{}] negate(v11)\n}}\n", n);
  read(text);
  const auto grouped = program_.grouped({.value = {&entry("r"), 0}});
  const IndexingSet& maps = grouped->back().maps;
  EXPECT_EQ(exactness(maps), Exactness::superset);
  EXPECT_LE(maps.size(), kMaxIndexingMaps + 1);
  // Every sum of steps is read. Regression: those of the last steps were lost.
  std::vector<bool> covered(2048);
  for (const Indexing& x : maps) {
    EXPECT_THAT(x.reason, HasSubstr("more than 128 maps (max_maps)"));
    const Interval reads = range(x.map.results()[0], x.map.domain());
    ASSERT_TRUE(x.map.results()[0].is_binary() || x.map.results()[0].is_variable());
    for (Index e = reads.lower; e <= std::min<Index>(reads.upper, 2047); ++e)
      covered[static_cast<std::size_t>(e)] = true;
  }
  EXPECT_EQ(std::count(covered.begin(), covered.end(), false), 0);
}

TEST_F(WalkLimitsTest, CallsNestedTooDeepAreUnknownWhereverOneAsks) {
  std::string text = "level0 { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }\n";
  constexpr int kLevels = 400;
  for (int i = 1; i < kLevels; ++i) {
    text += fmt::format("level{} {{ p = f32[2] parameter(0) ROOT r = f32[2] call(p), to_apply=level{} }}\n",
                        i, i - 1);
  }
  text += fmt::format("ENTRY e {{ p = f32[2] parameter(0) ROOT r = f32[2] call(p), to_apply=level{} }}\n",
                      kLevels - 1);
  read(text);
  EXPECT_THAT(back(entry("r"), 0), ElementsAre(HasSubstr("nested more than")));
  EXPECT_THAT(back(inner("level100", "r"), 0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 1]"));
}

}  // namespace
}  // namespace tessera
