// SPDX-License-Identifier: Apache-2.0
#include "relayout/join_dims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/state_of.h"
#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera::moving::join_dims_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

// Law: the joined layouts have the same set of (source, destination) offsets.
void expect_the_same(const std::pair<Layout, Layout>& joined, const Layout& src, const Layout& dst) {
  const auto pairs = [](const Layout& from, const Layout& to) {
    std::vector<std::pair<Index, Index>> out;
    testing_relayout::for_each_index(
        from.shape(), [&](std::span<const Index> x) { out.emplace_back(from.offset(x), to.offset(x)); });
    std::ranges::sort(out);
    return out;
  };
  EXPECT_EQ(pairs(joined.first, joined.second), pairs(src, dst))
      << to_prefixed_string(src) << " to " << to_prefixed_string(dst) << " as "
      << to_prefixed_string(joined.first) << " to " << to_prefixed_string(joined.second);
}

TEST(JoinDims, GivesTheSameFunctionsOfFewerIndices) {
  for (const auto& [src, dst, rank] :
       {std::tuple("np:(4,6):(6,1)", "Sw<1,2,2> o _0 o (4,6):(6,1)", 1),
        std::tuple("Sw<2,1,3> o _5 o (4,7,3):(21,3,1)", "np:(4,7,3):(-21,-3,-1) + 83", 1),
        std::tuple("Sw<2,1,3> o _0 o (5,4,6):(1,30,5)", "f32[5,4,6]{0,2,1}", 1),
        std::tuple("Sw<2,1,3> o _0 o (4,6):(6,1)", "np:(4,6):(0,0)", 1),
        // Column-major, and with another dimension between the joined ones.
        std::tuple("Sw<2,1,3> o _0 o (4,6):(1,4)", "np:(4,6):(3,12)", 1),
        std::tuple("Sw<2,1,3> o _0 o (4,5,6):(1,24,4)", "np:(4,5,6):(0,1,0)", 2),
        std::tuple("Sw<2,1,3> o _0 o ((2,2),3,5):((7,60),15,3)", "np:(4,3,5):(15,5,1)", 2),
        std::tuple("Sw<2,1,3> o _0 o ((2,3),3,5):((60,7),60,12) crop (4,3,5)", "np:(4,3,5):(15,5,1)", 2)}) {
    const auto both = with_joined_dims(layout(src), layout(dst));
    ASSERT_TRUE(both.has_value()) << src;
    EXPECT_EQ(both->first.rank(), static_cast<std::size_t>(rank)) << src;
    expect_the_same(*both, layout(src), layout(dst));
  }
  EXPECT_FALSE(with_joined_dims(layout("np:(4,6):(6,1)"), layout("np:(4,6):(1,4)")).has_value());
  EXPECT_FALSE(with_joined_dims(layout("np:(4,6):(8,1)"), layout("np:(4,6):(6,1)")).has_value());
  EXPECT_FALSE(with_joined_dims(layout("np:(4,6):(0,0)"), layout("np:(4,6):(0,0)")).has_value());
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
    expect_the_same(*both, src, dst);
  }
  EXPECT_GT(joined, 20);
}

// No row of 4097 contains a whole block of 4096 offsets. Such copies once went element by element.
TEST(JoinDims, SwizzledRowsOfAnyLengthAreTablesAndLoops) {
  for (const auto& [src, dst] : {std::pair("Sw<3,4,5> o _0 o (4096,4097):(4097,1)", "bf16[4096,4097]"),
                                 std::pair("bf16[4096,4097]", "Sw<3,4,5> o _0 o (4096,4097):(4097,1)")}) {
    const RelayoutPlan made = make_plan(layout(src), layout(dst), 2).value();
    EXPECT_FALSE(detail::state_of(made).elementwise.has_value()) << src;
    EXPECT_TRUE(verify(made, layout(src), layout(dst)).has_value()) << made.describe();
    EXPECT_FALSE(verify(made, layout("np:(4096,4097):(4097,1)"), layout("bf16[4096,4097]")).has_value());
  }
}

// Rows that are not a power of two, with a swizzle, once had tables of 45 MB and took 3 s to plan.
TEST(JoinDims, RowsOfAnyLengthHaveSmallTables) {
  for (const char* strides : {"(3001,1)", "(0,1)", "(0,0)"}) {
    const Layout src = layout(fmt::format("np:(5000,3001):{}", strides));
    const Layout dst = layout("Sw<3,3,4> o _0 o (5000,3001):(3001,1)");
    const RelayoutPlan made = make_plan(src, dst, 2).value();
    EXPECT_LT(made.describe().size(), 2000U) << strides;
    EXPECT_TRUE(verify(made, src, dst).has_value()) << made.describe();
  }
}

}  // namespace
}  // namespace tessera::moving::join_dims_test
