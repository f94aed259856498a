// SPDX-License-Identifier: Apache-2.0
#include "base/cancellation.h"

#include <gtest/gtest.h>

#include <thread>

namespace tessera {
namespace {

TEST(Cancellation, NothingIsCancelledWithoutOne) {
  EXPECT_FALSE(detail::cancelled());
  EXPECT_EQ(detail::Cancellation::current(), nullptr);
}

TEST(Cancellation, StaysCancelledAndEndsWithItsScope) {
  {
    bool wanted = true;
    detail::Cancellation outer([&] { return wanted; });
    EXPECT_FALSE(detail::cancelled());
    {
      detail::Cancellation inner([] { return false; });
      EXPECT_TRUE(detail::cancelled());
      EXPECT_TRUE(inner.cancelled());
    }
    EXPECT_FALSE(detail::cancelled());
    wanted = false;
    EXPECT_TRUE(detail::cancelled());
    wanted = true;
    EXPECT_TRUE(detail::cancelled());
  }
  EXPECT_FALSE(detail::cancelled());
}

TEST(Cancellation, OtherThreadsJoinButNeverAsk) {
  int asked = 0;
  detail::Cancellation cancellation([&] { return ++asked == 0; });
  std::thread([&] {
    EXPECT_FALSE(detail::cancelled());
    const detail::Cancellation::Join join(&cancellation);
    EXPECT_FALSE(detail::cancelled());
  }).join();
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(detail::cancelled());
  std::thread([&] {
    const detail::Cancellation::Join join(&cancellation);
    EXPECT_TRUE(detail::cancelled());
  }).join();
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace tessera
