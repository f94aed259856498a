// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/walk_test.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WalkRuntimeTest : public WalkTest {};

TEST_F(WalkRuntimeTest, RuntimeVariablesStayWithTheirOwnOperands) {
  read(R"(
f0 {
  p0 = s32[150,64] parameter(0)
  p1 = s32[] parameter(1)
  p2 = s32[] parameter(2)
  p3 = s32[] parameter(3)
  p4 = s32[] parameter(4)
  v0 = s32[50,32] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={50,32}
  ROOT v1 = s32[25,16] dynamic-slice(v0, p3, p4), dynamic_slice_sizes={25,16}
}
ENTRY e {
  p0 = s32[150,64] parameter(0)
  a = s32[] parameter(1)
  b = s32[] parameter(2)
  c = s32[] parameter(3)
  d = s32[] parameter(4)
  ROOT r = s32[25,16] fusion(p0, a, b, c, d), kind=kLoop, calls=f0
})");
  const auto maps = output_to_input(entry("r"), {});
  ASSERT_EQ(maps->size(), 1U);
  const Indexing& x = maps->front();
  EXPECT_EQ(to_string(x.map),
            "(d0, d1){rt0, rt1, rt2, rt3} -> (d0 + rt0 + rt2, d1 + rt1 + rt3), domain: d0 in [0, 24], d1 in "
            "[0, 15], "
            "rt0 in [0, 100], rt1 in [0, 32], rt2 in [0, 25], rt3 in [0, 16]");
  ASSERT_EQ(x.runtime.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(x.runtime[i].source, &entry(std::string(1, "abcd"[i])));
}

TEST_F(WalkRuntimeTest, OneStartIndexReadTwiceIsOneRuntimeVariable) {
  read(R"(
f0 {
  p0 = f32[20] parameter(0)
  i = s32[] parameter(1)
  a = f32[20] dynamic-slice(p0, i), dynamic_slice_sizes={20}
  b = f32[10] dynamic-slice(p0, i), dynamic_slice_sizes={10}
  c = f32[20] concatenate(b, b), dimensions={0}
  ROOT d = f32[10] dynamic-slice(c, i), dynamic_slice_sizes={10}
}
ENTRY e {
  p0 = f32[20] parameter(0)
  i = s32[] parameter(1)
  ROOT r = f32[10] fusion(p0, i), kind=kLoop, calls=f0
})");
  const auto maps = output_to_input(entry("r"), {});
  ASSERT_FALSE(maps->empty());
  for (const Indexing& x : *maps) {
    EXPECT_EQ(x.map.runtime_count(), 1U) << to_string(x.map);
    ASSERT_EQ(x.runtime.size(), 1U);
    EXPECT_EQ(x.runtime[0].source, &entry("i"));
  }
}

TEST_F(WalkRuntimeTest, AConstantAtTheCallFoldsInsideAndAnotherCallKeepsItsVariable) {
  read(R"(
f0 {
  p0 = f32[100] parameter(0)
  i = s32[] parameter(1)
  j = s32[1] reshape(i)
  k = s32[] reshape(j)
  ROOT v = f32[10] dynamic-slice(p0, k), dynamic_slice_sizes={10}
}
ENTRY e {
  p0 = f32[100] parameter(0)
  n = s32[] parameter(1)
  big = s32[] constant(99)
  a = f32[10] fusion(p0, big), kind=kLoop, calls=f0
  b = f32[10] fusion(p0, n), kind=kLoop, calls=f0
  ROOT r = f32[10] add(a, b)
})");
  const auto a = *program_.output_to_operand(entry("a"), {});
  const auto b = *program_.output_to_operand(entry("b"), {});
  EXPECT_THAT(texts(a), ElementsAre("(d0) -> (d0 + 90), domain: d0 in [0, 9]"));
  EXPECT_THAT(a[0].runtime, IsEmpty());
  EXPECT_THAT(texts(b), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 90]"));
  EXPECT_EQ(b[0].runtime.at(0).source, &entry("n"));
  // The second answer must not depend on the first query.
  EXPECT_EQ(texts(*program_.output_to_operand(entry("a"), {})), texts(a));
}

}  // namespace
}  // namespace tessera
