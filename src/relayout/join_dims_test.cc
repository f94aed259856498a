// SPDX-License-Identifier: Apache-2.0
#include "relayout/join_dims.h"

#include <gtest/gtest.h>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "relayout/state.h"
#include "tessera/relayout/verify.h"
#include "tessera/text/any.h"

namespace tessera::moving {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

// The joined layouts at each index of theirs are the layouts at the indices of theirs, in row-major order.
void expect_the_same(const Layout& joined, const Layout& layout) {
  std::vector<Index> expected;
  std::vector<Index> found;
  testing_relayout::for_each_index(layout.shape(),
                                   [&](std::span<const Index> x) { expected.push_back(layout.offset(x)); });
  testing_relayout::for_each_index(joined.shape(),
                                   [&](std::span<const Index> x) { found.push_back(joined.offset(x)); });
  EXPECT_EQ(found, expected) << to_prefixed_string(layout) << " as " << to_prefixed_string(joined);
}

TEST(JoinDims, GivesTheSameFunctionsOfFewerIndices) {
  for (const auto& [src, dst, rank] :
       {std::tuple("np:(4,6):(6,1)", "Sw<1,2,2> o _0 o (4,6):(6,1)", 1),
        std::tuple("Sw<2,1,3> o _5 o (4,7,3):(21,3,1)", "np:(4,7,3):(-21,-3,-1) + 83", 1),
        std::tuple("Sw<2,1,3> o _0 o (5,4,6):(1,30,5)", "f32[5,4,6]{0,2,1}", 2),
        std::tuple("Sw<2,1,3> o _0 o (4,6):(6,1)", "np:(4,6):(0,0)", 1),
        std::tuple("Sw<2,1,3> o _0 o ((2,2),3,5):((7,60),15,3)", "np:(4,3,5):(15,5,1)", 2),
        std::tuple("Sw<2,1,3> o _0 o ((2,3),3,5):((60,7),60,12) crop (4,3,5)", "np:(4,3,5):(15,5,1)", 2)}) {
    const auto both = with_joined_dims(layout(src), layout(dst));
    ASSERT_TRUE(both.has_value()) << src;
    EXPECT_EQ(both->first.rank(), static_cast<std::size_t>(rank)) << src;
    expect_the_same(both->first, layout(src));
    expect_the_same(both->second, layout(dst));
  }
  EXPECT_FALSE(with_joined_dims(layout("np:(4,6):(6,1)"), layout("np:(4,6):(1,4)")).has_value());
  EXPECT_FALSE(with_joined_dims(layout("np:(4,6):(8,1)"), layout("np:(4,6):(6,1)")).has_value());
  EXPECT_FALSE(with_joined_dims(layout("np:():()"), layout("np:():()")).has_value());
}

TEST(JoinDims, RandomPairsStayTheSameFunctions) {
  int joined = 0;
  for (std::uint64_t n = 0; n < 3000; ++n) {
    testing_relayout::RandomChoices choices(77 * 1000003 + n);
    const auto box = testing_relayout::draw_box(choices, 200);
    const Layout src = testing_relayout::draw_layout(choices, box, false, 24000);
    const Layout dst = testing_relayout::draw_layout(choices, box, true, 24000);
    const auto both = with_joined_dims(src, dst);
    if (!both) continue;
    ++joined;
    expect_the_same(both->first, src);
    expect_the_same(both->second, dst);
  }
  EXPECT_GT(joined, 20);
}

// A block of 4096 places lies in no one row of 4097: such copies went element by element.
TEST(JoinDims, SwizzledRowsOfAnyLengthAreTablesAndLoops) {
  for (const auto& [src, dst] : {std::pair("Sw<3,4,5> o _0 o (4096,4097):(4097,1)", "bf16[4096,4097]"),
                                 std::pair("bf16[4096,4097]", "Sw<3,4,5> o _0 o (4096,4097):(4097,1)")}) {
    const RelayoutPlan made = make_plan(layout(src), layout(dst), 2).value();
    EXPECT_FALSE(made.state().general.has_value()) << src;
    EXPECT_TRUE(verify(made, layout(src), layout(dst)).has_value()) << made.describe();
    EXPECT_FALSE(verify(made, layout("np:(4096,4097):(4097,1)"), layout("bf16[4096,4097]")).has_value());
  }
}

}  // namespace
}  // namespace tessera::moving
