// SPDX-License-Identifier: Apache-2.0
#include "relayout/drop_permutations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "tessera/notation/layout.h"

namespace tessera::moving::drop_permutations_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

// Law: in a box for which holds_in() is true, both pairs of layouts map each source offset to the same set of
// destinations.
bool check_places(const Layout& src, const Layout& dst, const UnpermutedLayouts& unpermuted,
                  const std::vector<DimRange>& box) {
  EXPECT_TRUE(std::ranges::equal(dst.shape(), unpermuted.dst.shape()));
  if (!unpermuted.holds_in(box)) return false;
  const auto places = [&](const Layout& from, const Layout& to) {
    std::vector<std::pair<Index, Index>> out;
    testing_relayout::for_each_index(src.shape(), [&](std::span<const Index> x) {
      for (std::size_t d = 0; d < box.size(); ++d) {
        if (x[d] < box[d].first || x[d] >= box[d].last) return;
      }
      out.emplace_back(from.offset(x), to.offset(x));
    });
    std::ranges::sort(out);
    return out;
  };
  EXPECT_EQ(places(unpermuted.src, unpermuted.dst), places(src, dst))
      << to_prefixed_string(src) << " to " << to_prefixed_string(dst) << " as "
      << to_prefixed_string(unpermuted.src) << " to " << to_prefixed_string(unpermuted.dst);
  return true;
}

std::vector<DimRange> whole(const Layout& layout) {
  std::vector<DimRange> box;
  for (const Index extent : layout.shape()) box.push_back({0, extent});
  return box;
}

TEST(UnpermutedLayouts, LeavesOutBitsThatPermuteOneValue) {
  for (const auto& [src, dst, unpermuted] :
       {std::tuple("np:(6,8):(1,0)", "Sw<2,0,3> o _0 o (6,8):(8,1)", "np:(6,8):(8,1)"),
        std::tuple("np:(6,8):(1,0)", "Sw<2,0,3> o _16 o (6,8):(8,1)", "np:(6,8):(8,1) + 16"),
        std::tuple("np:(6,8):(0,0)", "Sw<2,0,3> o _0 o (6,8):(8,1)", "np:(6,8):(8,1)"),
        // A row of 12 elements consists of whole blocks of 4, so two of the three swizzled bits are dropped.
        std::tuple("np:(6,12):(1,0)", "Sw<3,0,4> o _0 o (6,12):(12,1)", "Sw<1,2,4> o _0 o (6,12):(12,1)"),
        // With an offset of 2, only the lower one of the two swizzled bits is dropped.
        std::tuple("np:(6,8):(1,0)", "Sw<2,0,3> o _2 o (6,8):(8,1)", "Sw<1,1,3> o _2 o (6,8):(8,1)"),
        std::tuple("np:(16,16):(1,0)", "Sw<2,0,4> o _0 o Sw<2,2,2> o _0 o (16,16):(16,1)",
                   "np:(16,16):(16,1)"),
        // Both dimensions together are one contiguous stretch of five blocks of 512.
        std::tuple("np:(16,160):(0,0)", "Sw<2,5,-2> o _0 o (16,160):(1,16)", "np:(16,160):(1,16)"),
        std::tuple("np:(3,2,12):(1,0,0)", "Sw<2,1,2> o _8 o (3,2,12):(24,12,1)", "np:(3,2,12):(24,12,1) + 8"),
        // A layout copied to itself.
        std::tuple("Sw<2,0,3> o _0 o (6,8):(8,1)", "Sw<2,0,3> o _0 o (6,8):(8,1)", "np:(6,8):(8,1)"),
        std::tuple("np:(4,4):(1,0)", "ll:d0:5,9 d1:1,3", "ll:d0:4,8 d1:1,2")}) {
    const auto found = without_permutations(layout(src), layout(dst));
    ASSERT_TRUE(found.has_value()) << src << " to " << dst;
    EXPECT_TRUE(found->holds_everywhere()) << dst;
    EXPECT_TRUE(check_places(layout(src), layout(dst), *found, whole(layout(dst))));
    testing_relayout::for_each_index(layout(dst).shape(), [&](std::span<const Index> x) {
      EXPECT_EQ(found->dst.offset(x), layout(unpermuted).offset(x)) << dst;
    });
  }
}

TEST(UnpermutedLayouts, KeepsWhatTellsElementsApart) {
  for (const auto& [src, dst] :
       {std::pair("np:(6,8):(1,0)", "Sw<2,0,3> o _1 o (6,8):(8,1)"),
        std::pair("np:(6,8):(0,1)", "Sw<2,0,3> o _0 o (6,8):(8,1)"),
        std::pair("np:(6,8):(1,0)", "Sw<2,0,3> o _0 o (6,8):(9,1)"),
        std::pair("np:(6,8):(1,0)", "np:(6,8):(8,1)"), std::pair("np:(0,8):(1,0)", "np:(0,8):(8,1)"),
        std::pair("np:(4,4):(1,0)", "ll:d0:4,8 d1:2,1")}) {
    EXPECT_FALSE(without_permutations(layout(src), layout(dst)).has_value()) << src << " to " << dst;
  }
}

// Four rows of seven consist of whole blocks of four; one row or six rows do not.
TEST(UnpermutedLayouts, HoldsWhereABoxIsWholeBlocks) {
  const Layout src = layout("np:(6,7):(1,0)");
  const Layout dst = layout("Sw<2,0,3> o _0 o (6,7):(8,1)");
  const auto found = without_permutations(src, dst);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->holds_everywhere());
  EXPECT_FALSE(check_places(src, dst, *found, {{0, 6}, {0, 7}}));
  EXPECT_FALSE(check_places(src, dst, *found, {{0, 6}, {0, 6}}));
  EXPECT_FALSE(check_places(src, dst, *found, {{0, 6}, {2, 6}}));
  EXPECT_TRUE(check_places(src, dst, *found, {{1, 5}, {0, 4}}));
}

TEST(UnpermutedLayouts, RandomPairsKeepThePlacesOfEachElement) {
  int found = 0;
  int in_parts = 0;
  for (std::uint64_t n = 0; n < 4000; ++n) {
    testing_relayout::RandomChoices choices(91 * 1000003 + n);
    const auto box = testing_relayout::draw_box(choices, 400);
    const bool other = choices.one_in(3);
    const Layout src = other ? testing_relayout::draw_layout(choices, box, false, 24000)
                             : testing_relayout::draw_broadcast(choices, box);
    const Layout drawn = other ? testing_relayout::draw_layout(choices, box, true, 24000)
                               : testing_relayout::draw_swizzled(choices, box);
    const Layout dst = choices.one_in(8) ? src : drawn;
    const auto unpermuted = without_permutations(src, dst);
    if (!unpermuted) continue;
    found += check_places(src, dst, *unpermuted, whole(src)) ? 1 : 0;
    for (int attempt = 0; attempt < 8; ++attempt) {
      std::vector<DimRange> some;
      for (const Index extent : box) {
        const Index first = choices.pick(0, extent - 1);
        const Index last = choices.one_in(3) ? extent : choices.pick(first + 1, extent);
        some.push_back({choices.one_in(2) ? 0 : first, last});
      }
      in_parts += check_places(src, dst, *unpermuted, some) ? 1 : 0;
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(in_parts, 500);
}

}  // namespace
}  // namespace tessera::moving::drop_permutations_test
