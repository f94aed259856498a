// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tessera::detail {
namespace {

TEST(Decimal, ReadsWhatFromCharsReads) {
  EXPECT_EQ(read_decimal("1.5").value, 1.5);
  EXPECT_EQ(read_decimal("-2e3,").value, -2000);
  EXPECT_EQ(read_decimal("-2e3,").rest, ",");
  EXPECT_EQ(read_decimal(".5").value, 0.5);
  EXPECT_EQ(read_decimal("0x10").rest, "x10");
  EXPECT_TRUE(std::isinf(read_decimal("inf").value));
  EXPECT_TRUE(std::isnan(read_decimal("nan").value));
}

TEST(Decimal, SaysWhyThereIsNoValue) {
  for (const char* text : {"", "-", "+1", " 1", "x", "e5"})
    EXPECT_EQ(read_decimal(text).error, std::errc::invalid_argument) << text;
  EXPECT_EQ(read_decimal("1e999").error, std::errc::result_out_of_range);
  EXPECT_EQ(read_decimal("1e-999").error, std::errc::result_out_of_range);
  EXPECT_EQ(read_decimal("0e-999").error, std::errc{});
}

}  // namespace
}  // namespace tessera::detail
