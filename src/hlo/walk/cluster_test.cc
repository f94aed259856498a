// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/walk_test.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;

class WalkClusterTest : public WalkTest {};

TEST_F(WalkClusterTest, GroupedMapsEndAtValuesOutsideTheCluster) {
  read(R"(ENTRY e {
  p0 = f32[1000,1000] parameter(0)
  v0 = f32[1000,1000]{0,1} transpose(p0), dimensions={1,0}
  ROOT v1 = f32[1000,1000] add(p0, v0)
})");
  const Instruction* both[] = {&entry("v0"), &entry("v1")};
  const auto through = program_.grouped(both, {.value = {&entry("v1"), 0}});
  ASSERT_EQ(through->size(), 3U);
  EXPECT_EQ(through->at(0).value.instruction, &entry("v1"));
  EXPECT_EQ(through->at(2).value.instruction, &entry("p0"));
  EXPECT_EQ(through->at(2).maps.size(), 2U);
  const Instruction* last[] = {&entry("v1")};
  const auto ends = program_.grouped(last, {.value = {&entry("v1"), 0}});
  EXPECT_EQ(ends->at(2).value.instruction, &entry("p0"));
  EXPECT_EQ(ends->at(2).maps.size(), 1U);
  const auto producers = program_.group_by_producer({&entry("v1"), 0});
  ASSERT_EQ(producers->size(), 2U);
  EXPECT_EQ(producers->at(0).value.instruction, &entry("p0"));
}

TEST_F(WalkClusterTest, AStartInsideAFusionLeadsOutOverItsOperands) {
  read(R"(
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
f1 {
  p0 = f32[15,20] parameter(0)
  p1 = f32[] parameter(1)
  v0 = f32[15,32,20,64] broadcast(p0), dimensions={0,2}
  ROOT v1 = f32[15,64] reduce(v0, p1), dimensions={1,2}, to_apply=max
}
ENTRY e {
  p0 = f32[15,20] parameter(0)
  c0 = f32[] constant(-inf)
  ROOT v0 = f32[15,64] fusion(p0, c0), kind=kLoop, calls=f1
})");
  const Instruction* cluster[] = {&entry("v0")};
  const auto grouped =
      program_.grouped(cluster, {.value = {&inner("f1", "v0"), 0}, .callers = {&entry("v0")}});
  ASSERT_EQ(grouped->size(), 2U);
  EXPECT_EQ(grouped->at(1).value.instruction, &entry("p0"));
  EXPECT_THAT(
      texts(grouped->at(1).maps),
      ElementsAre("(d0, d1, d2, d3) -> (d0, d2), domain: d0 in [0, 14], d1 in [0, 31], d2 in [0, 19], "
                  "d3 in [0, 63]"));
  const auto parameter =
      program_.grouped(cluster, {.value = {&inner("f1", "p1"), 0}, .callers = {&entry("v0")}});
  ASSERT_EQ(parameter->size(), 1U);
  EXPECT_EQ(parameter->at(0).value.instruction, &entry("c0"));
  const auto wrong = program_.grouped(cluster, {.value = {&inner("max", "m"), 0}, .callers = {&entry("v0")}});
  EXPECT_EQ(wrong.error().code, Code::bad_option);
}

TEST_F(WalkClusterTest, APathLeadsForwardToItsEnd) {
  read(R"(ENTRY f0 {
  p0 = f32[1000,1000] parameter(0)
  v0 = f32[1000,1000]{0,1} transpose(p0), dimensions={1,0}
  v1 = f32[1000000] reshape(v0)
  ROOT v2 = f32[1000000] log(v1)
})");
  EXPECT_THAT(texts(*program_.path_input_to_output(entry("v0"), entry("v2"))),
              ElementsAre("(d0, d1) -> (d0 * 1000 + d1), domain: d0 in [0, 999], d1 in [0, 999]"));
  EXPECT_THAT(texts(*program_.path_input_to_output(entry("v0"), entry("v0"))),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]"));
  EXPECT_EQ(program_.path_input_to_output(entry("v2"), entry("v0")).error().code, Code::bad_option);
  const auto whole = program_.forward_to_root({&entry("p0"), 0});
  ASSERT_EQ(whole->size(), 1U);
  EXPECT_THAT(texts(whole->at(0).maps),
              ElementsAre("(d0, d1) -> (d1 * 1000 + d0), domain: d0 in [0, 999], d1 in [0, 999]"));
}

}  // namespace
}  // namespace tessera
