// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tessera/relayout/plan.h"

namespace tessera {
namespace {

const std::string kHead =
    "relayout of 16 bytes in elements of 4: reads 0 to 16, writes 0 to 16, padding keep, cached, 1 chunk\n";

Diagnostic error(const std::string& text) {
  const auto plan = parse_plan(text);
  EXPECT_FALSE(plan.has_value());
  return plan ? Diagnostic{} : plan.error();
}

TEST(ParsePlan, PointsAtWhatItDoesNotUnderstand) {
  EXPECT_EQ(error("").code, Code::syntax);
  EXPECT_EQ(error("relayout of many").span.begin, 12U);
  EXPECT_EQ(error(kHead + "twist 4 bytes").code, Code::unknown_name);
  EXPECT_EQ(error("relayout of 99999999999999999999").code, Code::number_range);
}

TEST(ParsePlan, TouchesNothingOutsideOfTheBytesItNames) {
  const std::string rows = "  rows 1: src +0, dst +0\n";
  EXPECT_TRUE(
      parse_plan(kHead + "copy 4 bytes: src 0, dst 0\n" + rows + "  cols 4: src +4, dst +4\n").has_value());
  EXPECT_EQ(error(kHead + "copy 4 bytes: src 0, dst 0\n" + rows + "  cols 5: src +4, dst +4\n").code,
            Code::index_out_of_range);
  EXPECT_EQ(error(kHead + "copy 4 bytes: src 4, dst 0\n" + rows + "  cols 4: src +4, dst +4\n").code,
            Code::index_out_of_range);
  EXPECT_EQ(error(kHead + "copy 4 bytes: src 0, dst 0\n" + rows +
                  "  cols 281474976710656: src +0, dst +281474976710656\n")
                .code,
            Code::index_out_of_range);
}

TEST(ParsePlan, HoldsKernelsToTheirPromises) {
  const auto plan = [](const std::string& first, const std::string& rows, const std::string& cols) {
    return error(kHead + first + "  rows " + rows + "\n  cols " + cols + "\n");
  };
  EXPECT_EQ(plan("transpose 4 bytes: src 0, dst 0\n", "2: src +8, dst +8", "2: src +4, dst +4").message,
            "a transpose has cols that follow the source and rows that follow the destination");
  EXPECT_EQ(plan("gather 4 bytes: src 0, dst 0\n", "1: src +0, dst +0", "2: src +4, dst +8").message,
            "a gather has cols that follow the destination");
  EXPECT_EQ(plan("transpose 3 bytes: src 0, dst 0\n", "2: src +6, dst +3", "2: src +3, dst +6").message,
            "a transpose has runs of 1, 2, 4, 8 or 16 bytes");
  EXPECT_EQ(
      plan("copy 4 bytes: src 0, dst 0, cut loop by 1\n", "2: src +8, dst +8", "2: src +4, dst +4").message,
      "this axis is not to be cut");
}

}  // namespace
}  // namespace tessera
