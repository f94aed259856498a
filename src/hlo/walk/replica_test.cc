// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "hlo/walk/walk_test.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class WalkReplicaTest : public WalkTest {};

TEST_F(WalkReplicaTest, HopsOfChainedGathersComeOutermostFirst) {
  read(R"(ENTRY e {
  p0 = f32[128] parameter(0)
  v0 = f32[256] all-gather(p0), replica_groups={{0,1}}, dimensions={0}
  ROOT v1 = f32[512] all-gather(v0), replica_groups={{0,1}}, dimensions={0}
})");
  const auto grouped = program_.grouped({.value = {&entry("v1"), 0}});
  ASSERT_EQ(grouped->size(), 3U);
  const Indexing& x = grouped->back().maps.at(0);
  EXPECT_EQ(to_string(x.map), "(d0) -> (d0 mod 128), domain: d0 in [0, 511]");
  ASSERT_EQ(x.replica.size(), 2U);
  EXPECT_EQ(to_string(x.replica[0].map), "(d0) -> (d0 / 256), domain: d0 in [0, 511]");
  EXPECT_EQ(to_string(x.replica[1].map), "(d0) -> ((d0 / 128) mod 2), domain: d0 in [0, 511]");
}

// Regression: through a computation, every replica claimed to read both operands exactly.
TEST_F(WalkReplicaTest, TheOwnPositionDecidesWhichOperandOfAnExchangeIsRead) {
  read(R"(
f {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  t = (f32[4], f32[4]) all-to-all(a, b), replica_groups={{0,1}}
  x = f32[4] get-tuple-element(t), index=0
  ROOT y = f32[4] negate(x)
}
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  ROOT c = f32[4] call(a, b), to_apply=f
})");
  EXPECT_THAT(back(entry("c"), 0), ElementsAre("(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, 0]"));
  EXPECT_THAT(back(entry("c"), 1), ElementsAre("(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [1, 1]"));
}

TEST_F(WalkReplicaTest, HopsBetweenNumberedReplicasStayAsTheyAre) {
  read(R"(ENTRY e {
  p0 = f32[4] parameter(0)
  v0 = f32[4] collective-permute(p0), source_target_pairs={{0,1},{1,2},{2,0}}
  v1 = f32[8] all-gather(v0), replica_groups={{0,1}}, dimensions={0}
  ROOT v2 = f32[8] collective-permute(v1), source_target_pairs={{0,1},{1,2}}
})");
  const auto grouped = program_.grouped({.value = {&entry("v2"), 0}});
  const Indexing& x = grouped->back().maps.at(0);
  EXPECT_EQ(to_string(x.map), "(d0) -> (d0 mod 4), domain: d0 in [0, 7]");
  std::vector<std::string> hops;
  for (const ReplicaHop& hop : x.replica) hops.push_back(to_string(hop.map));
  EXPECT_THAT(hops, ElementsAre("(replica) -> (replica - 1), domain: replica in [1, 2]",
                                "(d0) -> (d0 / 4), domain: d0 in [0, 7]",
                                "(replica) -> ((replica + 2) mod 3), domain: replica in [0, 2]"));
}

// Regression: two gathers in different groups were merged, which lost half of the elements.
TEST_F(WalkReplicaTest, HopsThroughDifferentGroupsAreDifferent) {
  read(R"(
f {
  m = f32[4] parameter(0)
  x = f32[8] all-gather(m), dimensions={0}, replica_groups={{0,1},{2,3}}
  y = f32[8] all-gather(m), dimensions={0}, replica_groups={{0,2},{1,3}}
  z = f32[8] all-gather(m), dimensions={0}, replica_groups=[2,2]<=[4]
  s = f32[8] add(x, y)
  ROOT r = f32[8] add(s, z)
}
ENTRY e {
  m = f32[4] parameter(0)
  ROOT c = f32[8] call(m), to_apply=f
})");
  const auto maps = program_.output_to_operand(entry("c"), {}).value();
  std::vector<std::string> groups;
  for (const Indexing& x : maps) groups.emplace_back(x.replica.at(0).groups.text());
  EXPECT_THAT(groups, UnorderedElementsAre("[2,2]<=[4]", "{{0,2},{1,3}}"));
}

// A value that is scattered and gathered again in the same groups stays where it was. Regression: it moved to
// the position of the reading replica.
TEST_F(WalkReplicaTest, AHopLeadsToTheReplicaAtThatPosition) {
  constexpr std::string_view kProgram = R"(
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
f {{
  m = f32[4] parameter(0)
  s = f32[2] reduce-scatter(m), dimensions={{0}}, replica_groups={{{{0,1}},{{2,3}}}}, to_apply=sum
  ROOT g = f32[4] all-gather(s), dimensions={{0}}, replica_groups={}
}}
ENTRY e {{
  m = f32[4] parameter(0)
  ROOT c = f32[4] call(m), to_apply=f
}})";
  read(fmt::format(kProgram, "[2,2]<=[4]"));
  EXPECT_THAT(back(entry("c"), 0), ElementsAre("(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 1]"));
  read(fmt::format(kProgram, "{{0,2},{1,3}}"));
  const auto maps = program_.output_to_operand(entry("c"), {}).value();
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(to_string(maps[0].map),
            "(d0)[s0]{rt0} -> (rt0 * 2 + d0 mod 2), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 1]");
  EXPECT_EQ(maps[0].runtime.at(0).hops, 1U);
}

// Each replica reads its own start of the slice, so two replicas have two starts.
TEST_F(WalkReplicaTest, ValuesBehindAHopAreThoseOfTheOtherReplica) {
  read(R"(
f {
  m = f32[6] parameter(0)
  i = s32[] parameter(1)
  inner = f32[5] dynamic-slice(m, i), dynamic_slice_sizes={5}
  there = f32[5] collective-permute(inner), source_target_pairs={{0,1},{1,0}}
  ROOT outer = f32[4] dynamic-slice(there, i), dynamic_slice_sizes={4}
}
ENTRY e {
  m = f32[6] parameter(0)
  i = s32[] parameter(1)
  ROOT c = f32[4] call(m, i), to_apply=f
})");
  const auto maps = program_.output_to_operand(entry("c"), {}).value();
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(to_string(maps[0].map),
            "(d0){rt0, rt1} -> (d0 + rt0 + rt1), domain: d0 in [0, 3], rt0 in [0, 1], rt1 in [0, 1]");
  EXPECT_EQ(maps[0].runtime.at(0).hops, 1U);
  EXPECT_EQ(maps[0].runtime.at(1).hops, 0U);
}

}  // namespace
}  // namespace tessera
