// SPDX-License-Identifier: Apache-2.0
#include "reshard/collectives/collectives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

ReshardPlan plan_between(const char* from, const char* to, std::vector<Index> shape, Index places,
                         std::vector<Index> view = {}, Index bits = 32) {
  return *make_reshard_plan(
      {{"w", bits, *bind_distribution(*parse_distribution(from), shape, places),
        *bind_distribution(*parse_distribution(to), view.empty() ? shape : view, places)}});
}

// `all-to-all 2>1 1536`, for each step.
std::string chain_text(const ReshardPlan& plan) {
  const auto [chain, not_searched] = cheapest_collectives(plan);
  if (!chain) return not_searched;
  std::string text;
  for (const CollectiveStep& step : chain->steps)
    text += fmt::format("{} {}>{} {}; ", to_string(step.kind), step.from, step.to, step.bytes);
  return text + fmt::format("{}", chain->total);
}

TEST(Collectives, TwoExchangesWhereNoneDoesBothAtOnce) {
  EXPECT_EQ(chain_text(plan_between("Mesh('x': 4, 'y': 2) P('y', None, 'x')",
                                    "Mesh('x': 4, 'y': 2) P(None, ('x', 'y'), None)", {16, 16, 16}, 8)),
            "all-to-all 2>1 1536; all-to-all 0>1 1024; 20480");
}

TEST(Collectives, GathersForReplicasAndSlicesForNothing) {
  EXPECT_EQ(chain_text(plan_between("{devices=[4]<=[4]}", "{replicated}", {16}, 4)),
            "all-gather 0>0 48; 192");
  EXPECT_EQ(chain_text(plan_between("{replicated}", "{devices=[4]<=[4]}", {16}, 4)), "slice 0>0 0; 0");
  EXPECT_EQ(chain_text(plan_between("{devices=[4]<=[4]}", "{devices=[4]<=[4]}", {16}, 4)), "0");
}

TEST(Collectives, PermutesWholeShards) {
  const auto chain =
      cheapest_collectives(plan_between("mesh[x=2,y=2] [x*y]", "mesh[x=2,y=2] [y*x]", {16}, 4)).chain;
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->steps.size(), 1u);
  EXPECT_EQ(chain->steps[0].kind, CollectiveStep::Kind::permute);
  EXPECT_EQ(chain->steps[0].places, 2);  // the first and the last place keep theirs
  EXPECT_EQ(chain->total, 32);
}

// Several digits at once cost less than one after another.
TEST(Collectives, ExchangesSeveralDigitsInOneStep) {
  const auto chain =
      cheapest_collectives(plan_between("mesh[x=2,y=2] [-, x]", "mesh[x=2,y=2] [x*y, -]", {4, 4}, 4)).chain;
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->steps.size(), 2u);
  EXPECT_EQ(chain->steps[0].kind, CollectiveStep::Kind::slice);
  EXPECT_EQ(chain->steps[1].over, "x*y");
  EXPECT_EQ(chain->total, 4 * 12);
  EXPECT_TRUE(chain->cheapest);
}

// A permutation may come before another step: the smaller shards are exchanged, not the gathered ones.
TEST(Collectives, PermutesBeforeItGathers) {
  EXPECT_EQ(chain_text(plan_between("mesh[x=2,y=2] [x, y]", "mesh[x=2,y=2] [-, x]", {4, 4}, 4)),
            "permute 0>0 16; all-gather 0>0 16; 96");
}

// With ten digits there are too many states: the answer is a chain that says that it may not be the cheapest.
TEST(Collectives, SaysIfTheSearchReachedItsLimit) {
  const char* from = "mesh[a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2,j=2] [a*b*c*d*e, f*g*h*i*j, -]";
  const char* to = "mesh[a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2,j=2] [-, j*a*i*b*c, f*d*g*e*h]";
  const auto chain = cheapest_collectives(plan_between(from, to, {64, 64, 64}, 1024)).chain;
  ASSERT_TRUE(chain);
  EXPECT_FALSE(chain->cheapest);
}

// The chain does not depend on how the mesh is written: an axis of 4 is searched as 2 x 2.
TEST(Collectives, SearchesFactorsOfAxes) {
  const auto chain = cheapest_collectives(plan_between("Mesh('x': 4, 'c': 2) P('c')",
                                                       "Mesh('x': 4, 'c': 2) P('x')", {4}, 8, {}, 8))
                         .chain;
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->steps.size(), 2U);
  EXPECT_EQ(chain->steps[0].over, "x:(2)2");
  EXPECT_EQ(chain->steps[1].kind, CollectiveStep::Kind::permute);
  EXPECT_EQ(chain->total, 4);
  EXPECT_EQ(
      chain_text(plan_between("mesh[x=2,y=2,c=2] [c]", "mesh[x=2,y=2,c=2] [x*y]", {4}, 8, {}, 8)),
      chain_text(plan_between("Mesh('x': 4, 'c': 2) P('c')", "Mesh('x': 4, 'c': 2) P('x')", {4}, 8, {}, 8)));
}

// A view is searched in its own dimensions, and meshes in any common order of devices.
TEST(Collectives, SearchesViewsAndOrdersOfDevices) {
  EXPECT_EQ(chain_text(plan_between("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", {8, 6}, 4, {12, 4})),
            chain_text(plan_between("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", {12, 4}, 4)));
  EXPECT_EQ(chain_text(plan_between("{devices=[4,1]3,1,2,0}", "{devices=[1,4]3,1,2,0}", {4, 4}, 4)),
            chain_text(plan_between("{devices=[4,1]<=[4]}", "{devices=[1,4]<=[4]}", {4, 4}, 4)));
}

TEST(Collectives, SaysWhereItDoesNotSearch) {
  EXPECT_EQ(chain_text(plan_between("{devices=[4]<=[4]}", "{replicated}", {15}, 4)),
            "dimension 0 of the source is cut into unequal parts");
  EXPECT_EQ(chain_text(plan_between("{replicated}", "mesh[p=4] [p(cyclic 2)]", {16}, 4)), "0");
  EXPECT_EQ(chain_text(plan_between("mesh[p=4] [p(cyclic 2)]", "{replicated}", {16}, 4)),
            "dimension 0 of the source is cut into parts that are not runs in order");
  EXPECT_EQ(chain_text(plan_between("{devices=[2]<=[2]}", "{replicated}", {16}, 4)),
            "the source uses 2 of 4 places");
  EXPECT_EQ(chain_text(plan_between("{devices=[1,4]<=[4]}", "{devices=[4,1]<=[4]}", {12, 8}, 4, {16, 6})),
            "the view [16,6] has no distribution (product)");
  EXPECT_EQ(chain_text(plan_between("{devices=[4]0,1,2,3}", "{devices=[2,2]0,3,1,2 last_tile_dim_replicate}",
                                    {8}, 4)),
            "the axes of the two meshes are not digits of one place number");
}

}  // namespace
}  // namespace tessera
