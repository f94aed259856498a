// SPDX-License-Identifier: Apache-2.0
#include "reshard/proof/simulate.h"

#include <gtest/gtest.h>

#include "base/state_of.h"
#include "reshard/plan/plan_state.h"

namespace tessera {
namespace {

BoundDistribution simulated_side(const char* text, std::vector<Index> shape) {
  return *bind_distribution(*parse_distribution(text), std::move(shape), 4);
}

ReshardPlan plan_between(const char* from, const char* to, std::vector<Index> shape) {
  return *make_reshard_plan({{"w", 32, simulated_side(from, shape), simulated_side(to, shape)}});
}

TEST(Simulate, ComparesEveryCellOfSmallArrays) {
  const ReshardPlan plan =
      plan_between("{devices=[4,1]<=[4]}", "mesh[p=2,q=2] [-, p/q] local {0,1:T(2,4)}", {5, 7});
  const auto report = simulate(plan);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->elements, 35);
  EXPECT_TRUE(report->all);
}

TEST(Simulate, FollowsRandomElementsOfLargeArrays) {
  const auto report = simulate(plan_between("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", {4096, 8192}));
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_GT(report->elements, 1000);
  EXPECT_FALSE(report->all);
}

// The plan of one distribution, carried out for another one with the same local shapes.
ReshardPlan with_target(const ReshardPlan& plan, const char* to) {
  auto state = std::make_shared<ReshardPlan::State>(detail::state_of(plan));
  const auto shape = state->arrays[0].to.shape();
  state->arrays[0].to = simulated_side(to, {shape.begin(), shape.end()});
  return ReshardPlan(std::move(state));
}

TEST(Simulate, CatchesElementsThatArriveInTheWrongCell) {
  for (const std::vector<Index>& shape : {std::vector<Index>{8, 8}, std::vector<Index>{4096, 8192}}) {
    const ReshardPlan plan = plan_between("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", shape);
    const auto report = simulate(with_target(plan, "mesh[p=4] [-, p(cyclic 1)]"));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Code::verify_failed);
  }
}

}  // namespace
}  // namespace tessera
