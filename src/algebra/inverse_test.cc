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

// The vector ends inside a mode of millions of elements, where the composition of the two is no layout: the
// answer was `undecided`, because the end was looked for element by element.
TEST(MaxCommonLayout, NeedsNoEnumerationOfLongModes) {
  EXPECT_EQ(shown(max_common_layout(L("(3145728,5):(1,7340032)"), L("4194304:1"))), "3145728:1");
  EXPECT_EQ(shown(max_common_layout(L("(4,3145728,5):(4194304,1,29360128)"), L("(4,4194304):(4194304,1)"))),
            "3145728:4");
}

}  // namespace
}  // namespace tessera
