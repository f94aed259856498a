// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/state_of.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/relayout.h"

namespace tessera::plan_cache_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

TEST(PlanCache, TwoSpellingsOfALayoutShareAPlan) {
  PlanCache cache;
  const auto first = cache.plan(layout("np:(4,6):(6,1)"), layout("f32[4,6]{0,1}"), 4);
  const auto second = cache.plan(layout("cute:(4,6):(6,1)"), layout("np:(4,6):(1,4)"), 4);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(&detail::state_of(*first), &detail::state_of(*second));
  EXPECT_EQ(cache.size(), 1U);
}

TEST(PlanCache, KeepsQuestionsApart) {
  PlanCache cache;
  const Layout src = layout("np:(4,6):(6,1)");
  const Layout dst = layout("np:(4,6):(1,4)");
  PlanOptions threads;
  threads.threads = 2;
  const auto four = cache.plan(src, dst, 4);
  const auto eight = cache.plan(src, dst, 8);
  const auto two = cache.plan(src, dst, 4, threads);
  const auto back = cache.plan(dst, src, 4);
  EXPECT_EQ(cache.size(), 4U);
  EXPECT_EQ(eight->element_bytes(), 8);
  EXPECT_NE(&detail::state_of(*four), &detail::state_of(*two));
  EXPECT_NE(&detail::state_of(*four), &detail::state_of(*back));
}

TEST(PlanCache, MakesPlansWithoutKeepingThemOnceFull) {
  PlanCache cache(1);
  EXPECT_TRUE(cache.plan(layout("np:(4):(1)"), layout("np:(4):(1)"), 4).has_value());
  EXPECT_TRUE(cache.plan(layout("np:(5):(1)"), layout("np:(5):(1)"), 4).has_value());
  EXPECT_EQ(cache.size(), 1U);
}

TEST(PlanCache, FindsLayoutsWithoutDigitsAsTheyWereWritten) {
  PlanCache cache;
  const Layout swizzled = layout("cute:Sw<2,0,2> o _0 o (4,4):(4,1)");
  const Layout plain = layout("np:(4,4):(4,1)");
  const auto first = cache.plan(swizzled, plain, 2);
  const auto second = cache.plan(swizzled, plain, 2);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(&detail::state_of(*first), &detail::state_of(*second));
}

TEST(PlanCache, ManyThreadsAsk) {
  PlanCache cache;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (Index n = 1; n <= 200; ++n) {
        const Layout src = Layout::make(Strides{{n % 40 + 1, 3}, {3, 1}, 0}).value();
        const Layout dst = Layout::make(Strides{{n % 40 + 1, 3}, {1, n % 40 + 1}, 0}).value();
        const auto plan = cache.plan(src, dst, 4);
        ASSERT_TRUE(plan && plan->payload_bytes() == (n % 40 + 1) * 12);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(cache.size(), 40U);
  EXPECT_LE(cache.size(), 160U);
}

}  // namespace
}  // namespace tessera::plan_cache_test
