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

// Plans once contained the words `band` and `block`, which are hints for kernels only.
TEST(ParsePlan, KnowsNoBandsAndBlocks) {
  const std::string end = "\n  rows 1: src +0, dst +0\n  cols 4: src +4, dst +4\n";
  for (const char* flag : {"band 2", "block 8 x 4"})
    EXPECT_EQ(error(kHead + "copy 4 bytes: src 0, dst 0, " + flag + end).code, Code::unknown_name);
  EXPECT_TRUE(parse_plan(kHead + "copy 4 bytes: src 0, dst 0, prefetch" + end).has_value());
}

// Steps of a table were once limited to 2^28 bytes, which arrays of a gigabyte exceed.
TEST(ParsePlan, ReadsTheLongStepsOfLargeArrays) {
  const auto large = [](const std::string& size, const std::string& rows) {
    return "relayout of 48 bytes in elements of 4: reads 0 to " + size +
           ", writes 0 to 48, padding keep, cached, 1 chunk\ntable 4 bytes: src 0, dst 0\n  rows 12: src " +
           rows + ", dst +4\n  cols 1: src +0, dst +0\n";
  };
  const std::string text = large("4000000000000000004", "2:+288000000 3:+1000000000000000000 2:+1712000000");
  const auto plan = parse_plan(text);
  ASSERT_TRUE(plan.has_value()) << to_string(plan.error());
  EXPECT_EQ(plan->describe(), text);
  const Diagnostic beyond = error(large("4611686018427387904", "2:+4 6:+4611686018427387904"));
  EXPECT_EQ(beyond.code, Code::number_range);
  EXPECT_EQ(beyond.message, "entry 4 of the table does not fit in 64 bits");
  EXPECT_EQ(error(large("4611686018427387904", "2:+4 6:+1000000000000000000")).code,
            Code::index_out_of_range);
}

// Element-by-element plans of layouts that begin after offset 0 were once refused, as if they left the byte
// range on the first line of the plan.
TEST(ParsePlan, ReadsTheLastResortOfLayoutsThatBeginAnywhere) {
  const auto each = [](const std::string& reads, const std::string& writes) {
    return "relayout of 24 bytes in elements of 4: reads " + reads + ", writes " + writes +
           ", padding keep, cached, 1 chunk\neach element\n  from np:(2,3):(3,1) + 3\n  to np:(2,3):(1,-2) + "
           "9\n";
  };
  const std::string text = each("12 to 36", "20 to 44");
  const auto plan = parse_plan(text);
  ASSERT_TRUE(plan.has_value()) << to_string(plan.error());
  EXPECT_EQ(plan->describe(), text);
  EXPECT_TRUE(parse_plan(each("0 to 99", "0 to 44")).has_value());
  for (const char* reads : {"16 to 36", "12 to 32"})
    EXPECT_EQ(error(each(reads, "20 to 44")).code, Code::index_out_of_range);
  for (const char* writes : {"24 to 44", "20 to 40"})
    EXPECT_EQ(error(each("12 to 36", writes)).code, Code::index_out_of_range);
}

TEST(ParsePlan, HoldsKernelsToTheirPromises) {
  const auto plan = [](const std::string& first, const std::string& rows, const std::string& cols) {
    return error(kHead + first + "  rows " + rows + "\n  cols " + cols + "\n");
  };
  EXPECT_EQ(plan("transpose 4 bytes: src 0, dst 0\n", "2: src +8, dst +8", "2: src +4, dst +4").message,
            "a transpose has cols contiguous in the source and rows contiguous in the destination");
  EXPECT_EQ(plan("gather 4 bytes: src 0, dst 0\n", "1: src +0, dst +0", "2: src +4, dst +8").message,
            "a gather has cols contiguous in the destination");
  EXPECT_EQ(plan("transpose 3 bytes: src 0, dst 0\n", "2: src +6, dst +3", "2: src +3, dst +6").message,
            "a transpose has runs of 1, 2, 4, 8 or 16 bytes");
  EXPECT_EQ(
      plan("copy 4 bytes: src 0, dst 0, cut loop by 1\n", "2: src +8, dst +8", "2: src +4, dst +4").message,
      "this axis cannot be cut: it has a table, or its kernel needs all of it");
}

// A pattern or slack of a mover that uses neither was once read and forgotten, or refused at the whole part.
TEST(ParsePlan, RefusesWhatItsMoverCannotUse) {
  const std::string end = "\n  rows 2: src +8, dst +4\n  cols 2: src +4, dst +8\n";
  const auto refused = [&](const std::string& part, const std::string& word) {
    const std::string text = kHead + part + end;
    const Diagnostic diagnostic = error(text);
    EXPECT_EQ(text.substr(diagnostic.span.begin, word.size()), word);
    return diagnostic.message;
  };
  EXPECT_EQ(refused("transpose 4 bytes: src 0, dst 0, slack 8", "slack"), "a transpose has no slack");
  EXPECT_EQ(refused("copy 4 bytes: src 0, dst 0, pattern 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "pattern"),
            "a copy has no pattern");
}

}  // namespace
}  // namespace tessera
