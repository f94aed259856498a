// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/inverse.h"

#include <gtest/gtest.h>

#include "laws/cute_layouts.h"

namespace tessera {
namespace {

using laws::L;
using laws::shown;

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
