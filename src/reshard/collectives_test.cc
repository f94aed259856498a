// SPDX-License-Identifier: Apache-2.0
#include "reshard/collectives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

ReshardArray array_between(const char* from, const char* to, std::vector<Index> shape, Index places) {
  return {"w", 32, *bind_distribution(*parse_distribution(from), shape, places),
          *bind_distribution(*parse_distribution(to), shape, places)};
}

// `all-to-all 2>1 1536`, for each step.
std::string chain_text(const ReshardArray& array) {
  const auto chain = cheapest_collectives(array);
  if (!chain) return "none";
  std::string text;
  for (const CollectiveStep& step : chain->steps)
    text += fmt::format("{} {}>{} {}; ", to_string(step.kind), step.from, step.to, step.bytes);
  return text + fmt::format("{}", chain->total);
}

TEST(Collectives, TwoExchangesWhereNoneDoesBothAtOnce) {
  EXPECT_EQ(chain_text(array_between("Mesh('x': 4, 'y': 2) P('y', None, 'x')",
                                     "Mesh('x': 4, 'y': 2) P(None, ('x', 'y'), None)", {16, 16, 16}, 8)),
            "all-to-all 2>1 1536; all-to-all 0>1 1024; 20480");
}

TEST(Collectives, GathersForReplicasAndSlicesForNothing) {
  EXPECT_EQ(chain_text(array_between("{devices=[4]<=[4]}", "{replicated}", {16}, 4)),
            "all-gather 0>0 48; 192");
  EXPECT_EQ(chain_text(array_between("{replicated}", "{devices=[4]<=[4]}", {16}, 4)), "slice 0>0 0; 0");
  EXPECT_EQ(chain_text(array_between("{devices=[4]<=[4]}", "{devices=[4]<=[4]}", {16}, 4)), "0");
}

TEST(Collectives, PermutesWholeShards) {
  const auto chain =
      cheapest_collectives(array_between("mesh[x=2,y=2] [x*y]", "mesh[x=2,y=2] [y*x]", {16}, 4));
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->steps.size(), 1u);
  EXPECT_EQ(chain->steps[0].kind, CollectiveStep::Kind::permute);
  EXPECT_EQ(chain->steps[0].places, 2);  // the first and the last place keep theirs
  EXPECT_EQ(chain->total, 32);
}

// Several digits at once cost less than one after another.
TEST(Collectives, ExchangesSeveralDigitsInOneStep) {
  const auto chain =
      cheapest_collectives(array_between("mesh[x=2,y=2] [-, x]", "mesh[x=2,y=2] [x*y, -]", {4, 4}, 4));
  ASSERT_TRUE(chain);
  ASSERT_EQ(chain->steps.size(), 2u);
  EXPECT_EQ(chain->steps[0].kind, CollectiveStep::Kind::slice);
  EXPECT_EQ(chain->steps[1].over, "x*y");
  EXPECT_EQ(chain->total, 4 * 12);
  EXPECT_TRUE(chain->cheapest);
}

// A permutation may come before another step: the smaller shards are exchanged, not the gathered ones.
TEST(Collectives, PermutesBeforeItGathers) {
  EXPECT_EQ(chain_text(array_between("mesh[x=2,y=2] [x, y]", "mesh[x=2,y=2] [-, x]", {4, 4}, 4)),
            "permute 0>0 16; all-gather 0>0 16; 96");
}

// With ten digits there are too many states: the answer is a chain that says that it may not be the cheapest.
TEST(Collectives, SaysIfTheSearchReachedItsLimit) {
  const char* from = "mesh[a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2,j=2] [a*b*c*d*e, f*g*h*i*j, -]";
  const char* to = "mesh[a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2,j=2] [-, j*a*i*b*c, f*d*g*e*h]";
  const auto chain = cheapest_collectives(array_between(from, to, {64, 64, 64}, 1024));
  ASSERT_TRUE(chain);
  EXPECT_FALSE(chain->cheapest);
}

TEST(Collectives, HasNoneForUnevenCyclicAndUnrelatedCuts) {
  EXPECT_EQ(chain_text(array_between("{devices=[4]<=[4]}", "{replicated}", {15}, 4)), "none");
  EXPECT_EQ(chain_text(array_between("mesh[p=4] [p(cyclic 2)]", "{replicated}", {16}, 4)), "none");
  EXPECT_EQ(chain_text(array_between("mesh[p=2,q=3] [p, q]", "mesh[p=3,q=2] [p, q]", {12, 12}, 6)), "none");
  EXPECT_EQ(chain_text(array_between("{devices=[2]<=[2]}", "{replicated}", {16}, 4)), "none");
}

}  // namespace
}  // namespace tessera
