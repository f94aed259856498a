// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "access/accessed_layout.h"
#include "access/linear_swizzle.h"
#include "access/offset_table.h"
#include "tessera/access/access.h"

namespace tessera {
namespace {

Layout layout_of(std::string_view text) { return *parse_layout(text); }

std::vector<Access> accesses_of(const Layout& layout, const std::vector<std::string>& texts, Index bytes) {
  std::vector<Access> out;
  for (const std::string& text : texts)
    out.push_back(*parse_access(text, layout, {.element_bits = 8 * bytes}, whole_layout(layout)));
  return out;
}

TEST(FindFixes, TheTransposeGetsSw505) {
  const Layout tile = layout_of("(32,32):(32,1)");
  const auto set = find_fixes(tile, accesses_of(tile, {"rows,write", "columns"}, 4), 32, {});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->before, 33);
  EXPECT_EQ(set->floor, 2);
  EXPECT_EQ(set->best_fix().wavefronts, 2);
  EXPECT_EQ(*set->best_fix().swizzle, (Swizzle{5, 0, 5}));
  EXPECT_EQ(set->best_fix().proof, FixProof::floor);
}

TEST(FindFixes, TheTextOfAFixHasTheWavefrontsOfTheFix) {
  for (const char* text : {"(32,32):(32,1)", "f32[32,32]{1,0:T(8,16)}", "Sw<2,0,3> o _0 o (32,32):(32,1)",
                           "np:(32,32):(32,1)", "(32,96):(96,1)", "d0:32,64,128,256,512 d1:1,2,4,8,16"}) {
    const Layout tile = layout_of(text);
    const std::vector<Access> accesses = accesses_of(tile, {"rows,write", "columns,weight=3"}, 4);
    const auto set = find_fixes(tile, accesses, 32, {});
    ASSERT_TRUE(set) << text;
    EXPECT_LT(set->best_fix().wavefronts, set->before) << text;
    for (const Fix& fix : set->candidates) {
      ASSERT_TRUE(fix.layout) << text;
      const auto again = parse_layout(to_string(*fix.layout));
      ASSERT_TRUE(again) << to_string(*fix.layout);
      const auto reports = analyze_accesses(*again, accesses, {});
      ASSERT_TRUE(reports);
      EXPECT_EQ(reports->wavefronts, fix.wavefronts) << text << " to " << to_string(*fix.layout);
    }
  }
}

// The help named the first negative offset, not the smallest: following it led to the same error.
TEST(FindFixes, TheHelpForNegativeOffsetsLeadsToNone) {
  std::mt19937_64 random(20271);
  int negative = 0;
  for (int n = 0; n < 200; ++n) {
    const auto stride = [&] { return static_cast<Index>(random() % 41) - 20; };
    const std::string text = "np:(8,8):(" + std::to_string(stride()) + "," + std::to_string(stride()) + ")";
    const auto fixes = [&](const std::string& layout) {
      return find_fixes(layout_of(layout), accesses_of(layout_of(layout), {"rows"}, 4), 32, {},
                        {.pad = false});
    };
    const auto set = fixes(text);
    if (set || set.error().message.find("negative offset") == std::string::npos) continue;
    ++negative;
    const std::string& help = set.error().help;
    const std::size_t begin = help.find(" + ");
    const auto again = fixes(text + help.substr(begin, help.find(',', begin) - begin));
    EXPECT_TRUE(again || again.error().message.find("negative offset") == std::string::npos)
        << text << ": " << help;
  }
  EXPECT_GT(negative, 50);
}

// The tiles of this layout are padded. A padding of its strides had no layout, and its text was read from a
// swizzle that was not there.
TEST(FindFixes, EveryFixOfPaddedTilesCanBeWritten) {
  for (const char* text : {"s32[8,33]{1,0:T(3,1)(4,2)}", "f64[32,16]{0,1:T(3,3)}"}) {
    const Layout tile = layout_of(text);
    const auto set = find_fixes(tile, accesses_of(tile, {"columns,write"}, 8), 64, {});
    ASSERT_TRUE(set) << text;
    for (const Fix& fix : set->candidates)
      EXPECT_TRUE(fix.layout || fix.swizzle || !fix.images.empty()) << text;
  }
}

TEST(FindFixes, RefusesWhatCannotRun) {
  const Layout tile = layout_of("(32,33):(33,1)");

  Access wide = whole_layout(tile);
  wide.tv = layout_of("((8,2),4):((128,1),32)");
  wide.vector = 4;
  EXPECT_EQ(find_fixes(tile, std::vector{wide}, 32, {}).error().code, Code::misaligned);
  const Layout twice = layout_of("(4,4):(1,1)");
  EXPECT_EQ(find_fixes(twice, std::vector{whole_layout(twice)}, 32, {}).error().code, Code::non_injective);
}

// A random access of one element per lane, whose addresses are linear in the bits of the lane.
Access random_access(std::mt19937_64& random, int index_bits) {
  std::vector<Index> images;
  detail::BitSpace space;
  while (images.size() < 5) {
    const auto image = static_cast<Index>(random() % (std::uint64_t{1} << index_bits));
    if (space.add(static_cast<std::uint64_t>(image))) images.push_back(image);
  }
  std::string bases = "ll:d0:";
  for (std::size_t k = 0; k < images.size(); ++k) bases += (k == 0 ? "" : ",") + std::to_string(images[k]);
  return {.tv = layout_of(bases), .weight = static_cast<Index>(random() % 3) + 1};
}

// The fewest wavefronts over all maps from offset bits to 4 banks.
Index least_by_enumeration(const detail::AccessedLayout& problem, int bits) {
  // Rows of a bank map with 2 bank bits on `bits` offset bits: tries all pairs of independent functionals.
  Index best = kIndexMax;
  for (std::uint64_t a = 1; a < std::uint64_t{1} << bits; ++a) {
    for (std::uint64_t b = a + 1; b < std::uint64_t{1} << bits; ++b) {
      Index sum = 0;
      for (const detail::CountedAccess& access : problem.accesses) {
        for (const detail::AccessInstruction& one : access.instructions) {
          for (const std::uint64_t phase : access.rule.phases) {
            Index of_bank[4] = {};
            for (std::size_t l = 0; l < one.indices.size(); ++l) {
              if ((phase & one.active) >> l & 1) {
                const auto x =
                    static_cast<std::uint64_t>(problem.offsets[static_cast<std::size_t>(one.indices[l])]);
                ++of_bank[(std::popcount(x & a) & 1) + 2 * (std::popcount(x & b) & 1)];
              }
            }
            sum += access.access->weight * *std::max_element(of_bank, of_bank + 4);
          }
        }
      }
      best = std::min(best, sum);
    }
  }
  return best;
}

TEST(FindFixes, LinearSwizzlesAreTheBestOfAllBankMaps) {
  const std::uint64_t seed = 5;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const MemoryTarget target = *MemoryTarget::parse("banks:4x4@32");
  for (int round = 0; round < 120; ++round) {
    const int bits = 6;
    const Layout tile = layout_of("(8,8):(8,1)");
    std::vector<Access> accesses;
    for (std::uint64_t count = 1 + random() % 4; count > 0; --count)
      accesses.push_back(random_access(random, bits));
    auto problem = detail::AccessedLayout::make(tile, accesses, {.target = target, .global = false});
    ASSERT_TRUE(problem) << problem.error().message;
    problem->find_linear_accesses();
    ASSERT_TRUE(problem->is_linear());
    const Index floor = detail::total(detail::wavefront_floors(*problem));
    const auto found = detail::best_linear_swizzle(*problem, floor);
    ASSERT_TRUE(found);
    ASSERT_TRUE(found->optimal);
    // A permutation of the tile.
    std::vector<Index> moved;
    for (Index x = 0; x < 64; ++x)
      moved.push_back(static_cast<Index>(found->map(static_cast<std::uint64_t>(x))));
    const Index counted = detail::total(
        detail::count_moved(*problem, [&](Index x) { return moved[static_cast<std::size_t>(x)]; }));
    EXPECT_EQ(counted, detail::total(detail::count_linear(*problem, found->map)));
    std::sort(moved.begin(), moved.end());
    for (Index x = 0; x < 64; ++x) ASSERT_EQ(moved[static_cast<std::size_t>(x)], x);
    EXPECT_EQ(counted, least_by_enumeration(*problem, bits)) << "round " << round;
    EXPECT_GE(counted, floor);
  }
}

TEST(FindFixes, NoPermutationOfBlocksIsBelowTheFloor) {
  const std::uint64_t seed = 12;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const MemoryTarget target = *MemoryTarget::parse("banks:4x4@8");
  for (int round = 0; round < 300; ++round) {
    const Layout tile = layout_of("(4,8):(8,1)");
    std::vector<Access> accesses =
        accesses_of(tile, {"(8,1):(4,0)", "((4,2),2):((1,8),4),vector=2,write"}, 4);
    auto problem = detail::AccessedLayout::make(tile, accesses, {.target = target, .global = false});
    ASSERT_TRUE(problem) << problem.error().message;
    const Index floor = detail::total(detail::wavefront_floors(*problem));
    std::vector<Index> places(16);
    for (Index i = 0; i < 16; ++i) places[static_cast<std::size_t>(i)] = i;
    std::shuffle(places.begin(), places.end(), random);
    const Index counted = detail::total(detail::count_moved(
        *problem, [&](Index x) { return places[static_cast<std::size_t>(x / 2)] * 2 + x % 2; }));
    EXPECT_GE(counted, floor);
  }
}

}  // namespace
}  // namespace tessera
