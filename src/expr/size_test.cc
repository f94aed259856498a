// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/expr/expr.h"

namespace tessera::size_test {
namespace {

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);

TEST(ExprSizeTest, ASignIsNoOperator) {
  EXPECT_EQ(size(-kX), (ExprSize{0, 0, 1}));
  EXPECT_EQ(size(kX - kY), (ExprSize{1, 0, 1}));
  EXPECT_EQ(size(kX - kY * 2), (ExprSize{2, 0, 1}));
  EXPECT_EQ(size(kX - 5), (ExprSize{1, 0, 1}));
}

TEST(ExprSizeTest, ANegativeDivisorEqualsANegatedDividend) {
  EXPECT_EQ(size(floor_div(kX, -2)), size(floor_div(-kX, 2)));
  EXPECT_LT(size(mod(kX, 2)), size(mod(-kX, 2)));
}

TEST(ExprSizeTest, SharedNodesCountEachTimeAndSaturate) {
  EXPECT_EQ(size((kX + kY) * (kX + kY)).operators, 3u);
  Expr e = kX;
  for (int i = 0; i < 70; ++i) e = e + mod(e, 7);
  EXPECT_EQ(size(e).operators, UINT32_MAX);
}

}  // namespace
}  // namespace tessera::size_test
