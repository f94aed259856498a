// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/index_walk.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

// Checks that index x of the result has the offset of the layout's index whose coordinate axes[i] is x[i].
void check_transpose(const Layout& layout, const std::vector<Index>& axes) {
  const Result<Layout> turned = transpose(layout, axes);
  ASSERT_TRUE(turned.has_value()) << to_string(layout) << ": " << to_string(turned.error());
  EXPECT_EQ(turned->size(), layout.size());
  std::vector<Index> index(layout.rank(), 0);
  for (Index n = 0; n < layout.size(); ++n, detail::next_index(index, turned->shape())) {
    std::vector<Index> old(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) old[static_cast<std::size_t>(axes[i])] = index[i];
    ASSERT_EQ(turned->offset(index), layout.offset(old)) << to_string(layout) << " as " << to_string(*turned);
  }
  if (layout.notation() != Notation::map) {
    EXPECT_EQ(turned->buffer_size().value_or(-1), layout.buffer_size().value_or(-1)) << to_string(*turned);
  }
}

TEST(Transpose, KeepsTheMemoryOfEveryNotation) {
  for (const char* text :
       {"f32[3,5]{1,0:T(2,2)}", "f32[3,5]", "f32[2,3,4]{2,1,0:T(*,2,3)}", "bf16[3,20]{1,0:T(8,128)(2,1)}",
        "f32[2,3,4]{0,2,1}", "s4[3,5]{1,0:E(4)}", "((2,2),(2,3)):((2,12),(1,4))",
        "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)", "Sw<3,0,3> o _0 o (8,8):(8,1)",
        "Sw<2,0,3> o _3 o (5,7):(8,1)", "6x8:[1, 0, 1 p(4)]", "4x8:[0, 1 oe(8)]", "np:(6,8):(1,6) + 7",
        "np:(4,8):(-8,1) + 24", "d0:9,18,36 d1:1,2,4", "f32[7]", "f32[]", "np:(0,4):(1,1)",
        "(d0, d1) -> (max(d0, d1) + d1 mod 3), domain: d0 in [0, 5], d1 in [0, 7]"}) {
    const Layout layout = parse_layout(text).value();
    std::vector<Index> axes(layout.rank());
    std::iota(axes.begin(), axes.end(), 0);
    do {
      check_transpose(layout, axes);
    } while (std::ranges::next_permutation(axes).found);
  }
}

TEST(Transpose, KeepsTheNotation) {
  const auto turned = [](std::string_view text, std::vector<Index> axes) {
    return to_string(transpose(parse_layout(text).value(), axes).value());
  };
  EXPECT_EQ(turned("f32[3,5]{1,0:T(2,2)}", {1, 0}), "f32[5,3]{0,1:T(2,2)}");
  EXPECT_EQ(turned("f32[2,3,4]", {2, 0, 1}), "f32[4,2,3]{0,2,1}");
  EXPECT_EQ(turned("(4,(2,3)):(6,(1,2))", {1, 0}), "((2,3),4):((1,2),6)");
  EXPECT_EQ(turned("6x8:[1, 0, 1 p(4)]", {1, 0}), "8x6:[0, 1, 0 p(4)]");
  EXPECT_EQ(turned("np:(6,8):(1,6) + 7", {1, 0}), "np:(8,6):(6,1) + 7");
  EXPECT_EQ(turned("Sw<3,0,3> o _0 o (8,4):(4,1)", {1, 0}), "Sw<3,0,3> o _0 o (4,8):(1,4)");
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  const Layout layout = parse_layout("f32[2,3,4]").value();
  const auto refused = [&](std::vector<Index> axes) { return to_string(transpose(layout, axes).error()); };
  EXPECT_EQ(refused({1, 0}),
            "error[rank_mismatch]: 2 axes are given, but the shape (2,3,4) has 3 dimensions");
  EXPECT_EQ(refused({1, 1, 0}), "error[bad_permutation]: axis 1 is named twice");
  EXPECT_EQ(refused({0, 1, 3}), "error[dim_out_of_range]: axis 3 is outside 0 to 2 of the shape (2,3,4)");
}

}  // namespace
}  // namespace tessera
