// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/inverse.h"

#include <gtest/gtest.h>

#include "laws/cute_layouts.h"
#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/parse.h"

namespace tessera {
namespace {

using laws::L;
using laws::shown;
using laws::X;

// left_inverse((4,2):(2,0)) was (2,4):(0,1), which maps offset 0 back to one of two coordinates.
TEST(LeftInverse, RefusesModesThatRepeatOffsets) {
  const Outcome<StridedLayout> r = left_inverse(L("(4,2):(2,0)"));
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error.code, AlgebraCode::non_injective);
  EXPECT_EQ(r.error.leaf, 1);
  EXPECT_EQ(r.error.witness, 4);  // coordinates 0 and 4 share offset 0
  EXPECT_EQ(shown(left_inverse(L("(3,(2,2)):(4,(0,1))"))), "non_injective");
  EXPECT_EQ(shown(left_inverse(L("8:0"))), "non_injective");
  EXPECT_EQ(shown(left_inverse(L("(4,1,2):(1,0,4)"))), "8:1");  // one coordinate repeats nothing
  EXPECT_EQ(shown(left_inverse(L("1:0"))), "1:0");
  static_assert(!left_inverse(read_layout("(4,2):(2,0)", 11)->layout).ok());
}

TEST(GeneralizedInverse, PicksOneOfTheCoordinatesThatShareAnOffset) {
  for (const char* text : {"(4,2):(2,0)", "(2,2,2):(4,0,1)", "(2,4):(0,2)", "16:0", "(4,8):(1,5)"}) {
    const StridedLayout l = L(text);
    const Outcome<StridedLayout> r = generalized_inverse(l);
    ASSERT_TRUE(r) << text;
    for (Index i = 0; i < l.size(); ++i) EXPECT_EQ(l((*r)(l(i))), l(i)) << text << " at " << i;
  }
}

TEST(LeftInverse, OfAChainIsCheckedWhereALayoutIsBeforeAnother) {
  EXPECT_EQ(shown(left_inverse(X("Sw<3,0,3> o _4 o (8,8):(8,1)"))), "(8,8):(8,1) o _-4 o Sw<3,0,3>");
  // (4,2):(2,1) takes values beyond its size here, where it repeats offsets.
  EXPECT_EQ(shown(left_inverse(X("(4,2):(2,1) o _0 o 12:1"))), "non_injective");
}

TEST(MaxCommonLayout, OfSwizzlesEndsWithTheBlockThatTheyKeep) {
  const auto vector = [](const char* a, const char* b) { return shown(max_common_layout(X(a), X(b))); };
  const char* row_major = "(8,64):(64,1)";
  EXPECT_EQ(vector("Sw<3,3,3> o _0 o (8,64):(64,1)", row_major), "8:8");
  EXPECT_EQ(vector(row_major, "Sw<3,3,3> o _0 o (8,64):(64,1)"), "8:8");
  // Equal swizzles cancel, and one that changes nothing counts for nothing.
  EXPECT_EQ(vector("Sw<3,3,3> o _0 o (8,64):(64,1)", "Sw<3,3,3> o _0 o (8,64):(64,1)"), "(64,8):(8,1)");
  EXPECT_EQ(vector("Sw<3,3,9> o _0 o (8,64):(64,1)", row_major), "(64,8):(8,1)");
  // An offset or rows that break the block break the vector.
  EXPECT_EQ(vector("Sw<3,3,3> o _4 o (8,64):(64,1)", row_major), "4:8");
  EXPECT_EQ(vector("Sw<3,3,3> o _0 o (8,64):(66,1)", "(8,64):(66,1)"), "2:8");
  EXPECT_EQ(vector("4:2 o _0 o (8,64):(64,1)", row_major), "unsupported_codomain");
}

TEST(MaxCommonLayout, IsTheLargestContiguousVector) {
  EXPECT_EQ(shown(max_common_layout(L("8:1"), L("(4,2):(1,4)"))), "8:1");
  EXPECT_EQ(shown(max_common_layout(L("(4,2):(2,1)"), L("8:1"))), "1:0");
  EXPECT_EQ(shown(max_common_layout(L("(4,2):(1,4)"), L("(4,2):(1,8)"))), "4:1");
}

// The vector ends inside a mode of millions of elements, where the composition of the two is not a layout.
// The result was once `undecided`, because the end was searched element by element.
TEST(MaxCommonLayout, NeedsNoEnumerationOfLongModes) {
  EXPECT_EQ(shown(max_common_layout(L("(3145728,5):(1,7340032)"), L("4194304:1"))), "3145728:1");
  EXPECT_EQ(shown(max_common_layout(L("(4,3145728,5):(4194304,1,29360128)"), L("(4,4194304):(4194304,1)"))),
            "3145728:4");
  // Strides that do not divide each other, and more than 2^20 values: once `undecided` too.
  EXPECT_EQ(
      shown(max_common_layout(L("(1048583,4,3):(3,9437247,1)"), L("(3,1048583,8):(1048583,1,3145749)"))),
      "1:0");
}

// The first i with A(R(i)) != i, element by element, agrees with the modes.
TEST(MaxCommonLayout, EndsWhereTheElementsDo) {
  for (const char* a :
       {"(4,2):(1,8)", "(4,2):(1,4)", "(4,3,2):(6,2,1)", "(2,3,4):(12,4,1)", "4:1", "(4,1):(1,4)"}) {
    for (const char* b : {"8:1", "(2,4):(4,1)", "(3,4,2):(1,6,3)", "(4,3,2):(6,2,1)", "(2,2,3):(1,2,4)"}) {
      const StridedLayout r = *right_inverse(L(b));
      detail::LeftOperand left;
      left.set(L(a), {});
      Index n = 0;
      for (Index value = 0; n < r.size() && left.at(r(n), value) && value == n;) ++n;
      Index whole = 1;
      for (int i = 0; i < r.leaves() && whole * r.extent[i] <= n; ++i) whole *= r.extent[i];
      EXPECT_EQ(*max_common_vector(L(a), L(b)), whole * (n / whole)) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace tessera
