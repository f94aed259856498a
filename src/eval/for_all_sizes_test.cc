// SPDX-License-Identifier: Apache-2.0
#include "eval/for_all_sizes.h"

#include <gtest/gtest.h>

#include <string>

#include "eval/limits.h"

namespace tessera::eval {
namespace {

// Regression: thousands of lines such as coalesce(ans) took ever more time, and stack.
TEST(ForAllSizes, VariablesGoBackALimitedNumberOfStatements) {
  for (const std::size_t before : {kEvalLimits.sized_statements - 2, kEvalLimits.sized_statements - 1}) {
    std::string text;
    for (std::size_t i = 0; i < before; ++i) text += "1; ";
    SizedVariables kept;
    const auto first = for_all_sizes(text + "A = (M,N):(1,M)", "", {}, kept);
    ASSERT_TRUE(first && !first->error);
    const auto second = for_all_sizes("coalesce(A)", "", {}, kept);
    ASSERT_TRUE(second);
    if (before + 1 < kEvalLimits.sized_statements) {
      EXPECT_FALSE(second->error);
    } else {
      ASSERT_TRUE(second->error);
      EXPECT_EQ(second->error->code, Code::limit);
      EXPECT_FALSE(second->error->help.empty());
    }
  }
}

}  // namespace
}  // namespace tessera::eval
