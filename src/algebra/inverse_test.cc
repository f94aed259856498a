// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/detail/inverse.h"

#include <gtest/gtest.h>

#include "laws/cute_layouts.h"
#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/parse.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::L;
using laws::shown;
using laws::X;

// Regression: left_inverse((4,2):(2,0)) was (2,4):(0,1), which maps offset 0 back to one of two coordinates.
TEST(LeftInverse, RefusesModesThatRepeatOffsets) {
  const Outcome<StridedLayout> r = left_inverse(L("(4,2):(2,0)"));
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error.code, Code::non_injective);
  EXPECT_EQ(r.error.leaf, 1);
  EXPECT_EQ(r.error.witness, 4);  // coordinates 0 and 4 share offset 0
  EXPECT_EQ(shown(left_inverse(L("(3,(2,2)):(4,(0,1))"))), "non_injective");
  EXPECT_EQ(shown(left_inverse(L("8:0"))), "non_injective");
  EXPECT_EQ(shown(left_inverse(L("(4,1,2):(1,0,4)"))), "8:1");  // a mode of one coordinate repeats nothing
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
  // Here (4,2):(2,1) is applied beyond its size, where it repeats offsets.
  EXPECT_EQ(shown(left_inverse(X("(4,2):(2,1) o _0 o 12:1"))), "non_injective");
}

}  // namespace
}  // namespace tessera
