// SPDX-License-Identifier: Apache-2.0
#include "text/point.h"

#include <gmock/gmock.h>

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParsePoint, ReadsIntegersWithAndWithoutBrackets) {
  EXPECT_THAT(*parse_point("3,5"), ElementsAre(3, 5));
  EXPECT_THAT(*parse_point(" ( 3 , -5 ) "), ElementsAre(3, -5));
  EXPECT_THAT(*parse_point("-9223372036854775808"), ElementsAre(kIndexMin));
  EXPECT_THAT(*parse_point(""), IsEmpty());
  EXPECT_THAT(*parse_point("()"), IsEmpty());
}

// Users write shapes as other tools print them, 8x16.
TEST(ParseShape, ReadsTheThreeWaysToWriteOne) {
  for (const char* text : {"8x16", "8,16", "(8,16)", " (8, 16) "})
    EXPECT_THAT(*parse_shape(text), ElementsAre(8, 16)) << text;
  EXPECT_THAT(*parse_shape("2x3x4"), ElementsAre(2, 3, 4));
  const auto wrong = parse_shape("8x");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().span.begin, 0);
  EXPECT_EQ(wrong.error().help, "write a shape like 8x16 or 8,16");
}

TEST(ParsePoint, SaysWhereTheTextIsWrong) {
  struct Case {
    const char* text;
    Code code;
    std::uint32_t begin;
  };
  for (const Case& wrong :
       {Case{"3 5", Code::syntax, 2}, Case{"3,", Code::syntax, 2}, Case{"(3", Code::syntax, 2},
        Case{"3)", Code::syntax, 1}, Case{"x", Code::syntax, 0}, Case{"1.5", Code::syntax, 0},
        Case{"1,99999999999999999999", Code::number_range, 2}}) {
    const auto point = parse_point(wrong.text);
    ASSERT_FALSE(point) << wrong.text;
    EXPECT_EQ(point.error().code, wrong.code) << wrong.text;
    EXPECT_EQ(point.error().span.begin, wrong.begin) << wrong.text;
  }
}

}  // namespace
}  // namespace tessera
