// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/index_walk.h"
#include "notation/layout_index.h"
#include "tessera/notation/layout.h"

namespace tessera::preimage_test {
namespace {

using Indices = std::vector<std::vector<Index>>;

Layout layout(std::string_view text) { return parse_layout(text).value(); }

Indices at(std::string_view text, Index offset) { return indices_at(layout(text), offset).value().indices; }

TEST(PreimageTest, OneIndexFromEveryNotation) {
  EXPECT_EQ(at("f32[3,5]{1,0:T(2,2)}", 17), (Indices{{2, 3}}));
  EXPECT_EQ(at("((2,2),(2,3)):((2,12),(1,4)) crop (3,5)", 17), (Indices{{2, 3}}));
  EXPECT_EQ(at("6x8:[1, 0, 1 p(4)]", 29), (Indices{{1, 5}}));
  EXPECT_EQ(at("np:(6,8):(1,6) + 7", 54), (Indices{{5, 7}}));
  EXPECT_EQ(at("np:(4):(-2) + 6", 2), (Indices{{2}}));
  EXPECT_EQ(at("d0:9,18,36 d1:1,2,4", 26), (Indices{{3, 1}}));
  EXPECT_EQ(at("Sw<3,4,3> o _0 o (1048576,1048576):(1048576,1)", 144), (Indices{{0, 128}}));
  EXPECT_EQ(at("Sw<2,0,3> o _3 o (5,7):(8,1)", 9), (Indices{{0, 5}}));
  EXPECT_EQ(at("(d0) -> (max(d0, 3)), domain: d0 in [0, 5]", 4), (Indices{{4}}));
}

TEST(PreimageTest, PaddingIsAnAnswerInsideTheMemoryAlone) {
  const Preimage padding = indices_at(layout("f32[3,5]{1,0:T(2,2)}"), 9).value();
  EXPECT_TRUE(padding.indices.empty());
  EXPECT_EQ(padding.padding_of, 0);
  EXPECT_EQ(indices_at(layout("f32[3,5]{1,0:T(2,2)}"), 24).error().code, Code::index_out_of_range);
  EXPECT_EQ(indices_at(layout("f32[3,5]{1,0:T(2,2)}"), -1).error().code, Code::index_out_of_range);
  EXPECT_EQ(indices_at(layout("4:-1"), 1).error().code, Code::index_out_of_range);
  EXPECT_EQ(at("4:3", 4), Indices{});
}

TEST(PreimageTest, SharedOffsetsGiveAllIndicesUpToTheLimit) {
  EXPECT_EQ(at("(2,3):(0,1)", 1), (Indices{{0, 1}, {1, 1}}));
  EXPECT_EQ(at("(3,3):(1,1)", 2), (Indices{{0, 2}, {1, 1}, {2, 0}}));
  EXPECT_EQ(at("d0:1,1 d1:2", 3), (Indices{{1, 1}, {2, 1}}));
  const Preimage many = indices_at(layout("(1000,2):(0,1)"), 1, {.indices = 5}).value();
  EXPECT_EQ(many.indices.size(), 5);
  EXPECT_FALSE(many.complete);
}

TEST(PreimageTest, EveryIndexIsFoundAgain) {
  for (const char* text : {"f32[5,7]{0,1:T(2,3)(2,1)}", "f32[2,3,4]{2,1,0:T(*,2,3)}", "((2,3),4):((3,-7),11)",
                           "d0:3,6 d1:5", "Sw<1,1,2> o _2 o (3,8):(9,1)", "(4,4):(1,3)"}) {
    const Layout one = layout(text);
    for (Index k = 0; k < one.size(); ++k) {
      const std::vector<Index> index = detail::index_with_number(one.shape(), k);
      const Preimage found = indices_at(one, one.offset(index)).value();
      EXPECT_NE(std::ranges::find(found.indices, index), found.indices.end()) << text;
      for (const auto& other : found.indices) EXPECT_EQ(one.offset(other), one.offset(index));
    }
  }
}

TEST(LayoutIndexTest, CoordinatesOfModes) {
  const Layout nested = layout("((2,2),(2,3)):((2,12),(1,4))");
  EXPECT_EQ(parse_layout_index("2,3", nested).value(), (std::vector<Index>{2, 3}));
  EXPECT_EQ(parse_layout_index("((0,1),(1,1))", nested).value(), (std::vector<Index>{2, 3}));
  EXPECT_EQ(parse_layout_index("(0,1),3", nested).value(), (std::vector<Index>{2, 3}));
  EXPECT_EQ(parse_layout_index("14", nested).value(), (std::vector<Index>{2, 3}));
  EXPECT_EQ(parse_layout_index("(1,2)", layout("((2,3)):((1,8))")).value(), (std::vector<Index>{5}));
  EXPECT_EQ(parse_layout_index("", layout("f32[]")).value(), std::vector<Index>{});
  EXPECT_EQ(parse_layout_index("()", layout("f32[]")).error().code, Code::syntax);
  EXPECT_EQ(parse_layout_index("24", nested).error().code, Code::index_out_of_range);
  EXPECT_EQ(parse_layout_index("(0,0,0),3", nested).error().code, Code::rank_mismatch);
  EXPECT_EQ(parse_layout_index("1,x", nested).error().span, (Span{2, 3}));
  EXPECT_EQ(parse_layout_index("(2,3", layout("f32[3,5]")).error().code, Code::syntax);
}

}  // namespace
}  // namespace tessera::preimage_test
