// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/index_walk.h"
#include "draw/offset_runs.h"
#include "laws/picture_laws.h"
#include "notation/to_digits.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

using laws::any;

std::set<Index> all_offsets(const Layout& layout) {
  std::set<Index> offsets;
  std::vector<Index> index(layout.rank(), 0);
  do {
    offsets.insert(layout.offset(index));
  } while (detail::next_index(index, layout.shape()));
  return offsets;
}

// Finds the runs offset by offset.
OffsetRuns runs_by_definition(const std::set<Index>& offsets) {
  OffsetRuns runs;
  for (const Index begin : offsets) {
    if (offsets.contains(begin - 1)) continue;
    Index length = 1;
    while (offsets.contains(begin + length)) ++length;
    runs.shortest = runs.count == 0 ? length : std::min(runs.shortest, length);
    runs.longest = std::max(runs.longest, length);
    ++runs.count;
  }
  for (Index a = runs.longest; a >= 1 && runs.alignment == 0; --a) {
    bool all = true;
    for (const Index offset : offsets) {
      if (offset % a != 0 && !offsets.contains(offset - 1)) all = false;
      if ((offset + 1) % a != 0 && !offsets.contains(offset + 1)) all = false;
    }
    if (all) runs.alignment = a;
  }
  return runs;
}

std::string check_facts(const Layout& layout) {
  const LayoutFacts facts = facts_of(layout);
  const std::set<Index> offsets = all_offsets(layout);
  const auto image = static_cast<Index>(offsets.size());
  if (facts.image != image) return "image";
  if (facts.injective != (image == layout.size())) return "injective";
  if (facts.witness.empty() != *facts.injective) return "witness";
  if (facts.offsets != std::pair(*offsets.begin(), *offsets.rbegin())) return "offsets";
  if (facts.runs != runs_by_definition(offsets)) return "runs";
  if (facts.buffer && facts.padding != *facts.buffer - image) return "padding";
  // The digits, which large layouts rely on, agree with enumeration.
  if (const Result<Digits> digits = to_digits(layout)) {
    if (digits->image_bounds() != Interval{*offsets.begin(), *offsets.rbegin()}) return "offsets from digits";
    if (const auto runs = detail::runs_of(*digits); runs && runs != facts.runs) return "runs from digits";
  }
  return {};
}

TEST(Facts, OfSmallLayoutsFollowFromTheirOffsets) {
  for (const char* text : {"f32[]", "f32[3,5]{1,0:T(2,2)}", "bf16[3,300]{1,0:T(8,128)(2,1)}", "f32[4,6]{0,1}",
                           "(4,8):(-8,1)", "(4,8):(0,1)", "((2,2),(2,4)):((1,8),(2,16))", "(6,2):(1,7)",
                           "Sw<3,0,3> o _0 o (8,8):(8,1)", "np:(6,8):(1,6) + 7", "mor:6x8:[1, 0, 1 p(4)]",
                           "ll:d0:3,6,12 d1:16,32", "ll:d0:1,1,2", "f32[5]{0:T(4)(3)}"}) {
    EXPECT_EQ(check_facts(any(text)), "") << text;
  }
}

TEST(Facts, OfRandomLayoutsFollowFromTheirOffsets) {
  constexpr unsigned kSeed = 20260702;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const auto up_to = [&](unsigned n) { return static_cast<Index>(random() % n); };
  int with_runs = 0;
  for (int i = 0; i < 400; ++i) {
    std::string shape;
    std::string stride;
    std::string crop;
    const Index rank = 1 + up_to(3);
    for (Index d = 0; d < rank; ++d) {
      const Index a = 1 + up_to(4);
      const Index b = 1 + up_to(4);
      const Index s = up_to(6) == 0 ? -up_to(9) : up_to(17);
      const Index t = up_to(33);
      const char* comma = d == 0 ? "" : ",";
      shape += comma + ("(" + std::to_string(a) + "," + std::to_string(b)) + ")";
      stride += comma + ("(" + std::to_string(s) + "," + std::to_string(t)) + ")";
      crop += comma + std::to_string(1 + up_to(static_cast<unsigned>(a * b)));
    }
    const std::string text = "(" + shape + "):(" + stride + ") crop (" + crop + ")";
    const Layout layout = any(text);
    EXPECT_EQ(check_facts(layout), "") << text;
    if (const Result<Digits> digits = to_digits(layout); digits && detail::runs_of(*digits)) ++with_runs;
  }
  EXPECT_GE(with_runs, 40);  // otherwise the test never used the digits
}

TEST(Facts, OfHugeLayoutsAreExact) {
  const LayoutFacts facts = facts_of(any("bf16[1048576,1048570]{1,0:T(8,128)(2,1)}"));
  EXPECT_EQ(facts.size, Index{1048576} * 1048570);
  EXPECT_EQ(facts.buffer, Index{1} << 40);
  EXPECT_EQ(facts.bytes, Index{1} << 41);
  EXPECT_EQ(facts.padding, Index{1048576} * 6);
  EXPECT_EQ(facts.injective, true);
  // The last element is (1048575, 1048569): the last tile, row 7, column 121.
  EXPECT_EQ(facts.offsets, std::pair(Index{0}, (Index{1} << 40) - 1024 + 3 * 256 + 121 * 2 + 1));
  EXPECT_EQ(facts.runs, std::nullopt);  // the box cuts the runs
  ASSERT_EQ(facts.unknown.size(), 1u);
  EXPECT_EQ(facts.unknown[0].first, "runs");
}

TEST(Facts, OfHugeSwizzlesAndLinearLayoutsComeFromTheirStructure) {
  const LayoutFacts swizzled = facts_of(any("Sw<3,4,3> o _0 o (4096,4096):(4096,1)"));
  EXPECT_EQ(swizzled.injective, true);
  EXPECT_EQ(swizzled.image, Index{1} << 24);
  const LayoutFacts folded = facts_of(any("Sw<3,4,3> o _0 o (4096,4096):(2048,1)"));
  EXPECT_EQ(folded.injective, false);
  EXPECT_NE(folded.witness, "");
  const LayoutFacts linear =
      facts_of(any("ll:d0:1,2,4,8,16,32,64,128,256,512,1024,2048,3 "
                   "d1:4096,8192,16384,32768,65536,131072,262144,524288,1048576,2097152,4194304"));
  EXPECT_EQ(linear.injective, false);
  EXPECT_EQ(linear.image, Index{1} << 23);
}

TEST(Facts, OfLargeTilesThatMixDimensionsAreKnown) {
  // Two dimensions with 7 * 1500001 indices in total are joined, then tiled by 2. The result has no digits,
  // yet no two elements share an offset.
  const LayoutFacts tiles = facts_of(any("f32[7,1500001,3]{2,1,0:T(*,2,2)}"));
  EXPECT_EQ(tiles.no_digits, "entangled");
  EXPECT_EQ(tiles.injective, true);
  EXPECT_EQ(tiles.image, 31500021);
  EXPECT_EQ(tiles.buffer, 42000032);
  EXPECT_EQ(tiles.padding, 10500011);
  EXPECT_EQ(tiles.offsets, (std::pair<Index, Index>{0, 42000028}));
}

TEST(Facts, OfAnEmptyLayoutAreZero) {
  const LayoutFacts facts = facts_of(any("f32[0,3]"));
  EXPECT_EQ(facts.size, 0);
  EXPECT_EQ(facts.image, 0);
  EXPECT_EQ(facts.injective, true);
  EXPECT_EQ(facts.offsets, std::nullopt);
  EXPECT_EQ(facts.padding, 0);
}

TEST(Facts, SayInALineWhatMattersMost) {
  EXPECT_EQ(fact_line(facts_of(any("f32[3,5]{1,0:T(2,2)}"))),
            "shape (3,5), size 15, buffer 24, padding 9, injective");
  EXPECT_EQ(fact_line(facts_of(any("(4,8):(-8,1)"))),
            "shape (4,8), size 32, buffer unknown, padding unknown, injective");
}

}  // namespace
}  // namespace tessera
