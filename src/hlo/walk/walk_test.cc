// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/walk_test.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST_F(WalkTest, AFusionReadsAnOperandByEveryWayInIt) {
  read(R"(
f0 {
  p0 = f32[1000,1000] parameter(0)
  v0 = f32[1000,1000] transpose(p0), dimensions={1,0}
  ROOT v1 = f32[1000,1000] add(p0, v0)
}
ENTRY e {
  p0 = f32[1000,1000] parameter(0)
  ROOT r = f32[1000,1000] fusion(p0), kind=kLoop, calls=f0
})");
  EXPECT_THAT(back(entry("r"), 0),
              UnorderedElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
                                   "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]"));
  EXPECT_THAT(forth(entry("r"), 0),
              UnorderedElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
                                   "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]"));
}

TEST_F(WalkTest, TwoWaysWithTheSameMeaningAreOneMap) {
  read(R"(
f0 {
  p0 = f32[20,10,50] parameter(0)
  v0 = f32[10,20,50] transpose(p0), dimensions={1,0,2}
  v2 = f32[10,50,20] transpose(v0), dimensions={0,2,1}
  v3 = f32[50,10,20] transpose(p0), dimensions={2,1,0}
  v5 = f32[10,50,20] transpose(v3), dimensions={1,0,2}
  ROOT v6 = f32[10,50,20] add(v2, v5)
}
ENTRY e {
  p0 = f32[20,10,50] parameter(0)
  ROOT r = f32[10,50,20] fusion(p0), kind=kLoop, calls=f0
})");
  EXPECT_THAT(back(entry("r"), 0),
              ElementsAre("(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], "
                          "d2 in [0, 19]"));
}

TEST_F(WalkTest, SoftmaxReadsItsElementAndItsRow) {
  read(R"(
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
f0 {
  p0 = f32[2,65,125] parameter(0)
  c0 = f32[] constant(-inf)
  m = f32[2,65] reduce(p0, c0), dimensions={2}, to_apply=max
  mb = f32[2,65,125] broadcast(m), dimensions={0,1}
  x = f32[2,65,125] subtract(p0, mb)
  e = f32[2,65,125] exponential(x)
  c1 = f32[] constant(0)
  s = f32[2,65] reduce(e, c1), dimensions={2}, to_apply=sum
  sb = f32[2,65,125] broadcast(s), dimensions={0,1}
  ROOT d = f32[2,65,125] divide(e, sb)
}
ENTRY e {
  p0 = f32[2,65,125] parameter(0)
  ROOT r = f32[2,65,125] fusion(p0), kind=kLoop, calls=f0
})");
  const std::string element =
      "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]";
  const std::string row =
      "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], s0 in [0, 124]";
  EXPECT_THAT(back(entry("r"), 0), UnorderedElementsAre(element, row));
  ProgramIndexing footprint({.footprint = true});
  EXPECT_THAT(texts(*footprint.output_to_operand(entry("r"), {})), ElementsAre(row));
}

TEST_F(WalkTest, EachOutputOfATupleAsksForItsOwnInnerOutput) {
  read(R"(
sum { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
  s = f32[] add(a, c) t = f32[] add(b, d) ROOT r = (f32[], f32[]) tuple(s, t) }
f0 {
  p0 = f32[4,8] parameter(0)
  p1 = f32[4,8] parameter(1)
  z = f32[] constant(0)
  two = (f32[4], f32[4]) reduce(p0, p1, z, z), dimensions={1}, to_apply=sum
  second = f32[4] get-tuple-element(two), index=1
  flipped = f32[4] reverse(second), dimensions={0}
  ROOT r = (f32[4], f32[4,8]) tuple(flipped, p0)
}
ENTRY e {
  a = f32[4,8] parameter(0)
  b = f32[4,8] parameter(1)
  ROOT r = (f32[4], f32[4,8]) fusion(a, b), kind=kLoop, calls=f0
})");
  EXPECT_THAT(back(entry("r"), 1, 0),
              ElementsAre("(d0)[s0] -> (-d0 + 3, s0), domain: d0 in [0, 3], s0 in [0, 7]"));
  EXPECT_THAT(back(entry("r"), 1, 1), IsEmpty());
  EXPECT_THAT(back(entry("r"), 0, 1),
              ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]"));
  EXPECT_THAT(forth(entry("r"), 1, 0),
              ElementsAre("(d0, d1) -> (-d0 + 3), domain: d0 in [0, 3], d1 in [0, 7]"));
}

TEST_F(WalkTest, AnUnknownStepMakesWhatLiesBehindItUnknownAndNamesItself) {
  read(R"(
f0 {
  p0 = f32[4] parameter(0)
  p1 = f32[4] parameter(1)
  v0 = f32[4] custom-call(p0), custom_call_target="foo"
  v1 = f32[4] negate(v0)
  ROOT v2 = f32[4] add(v1, p1)
}
ENTRY e {
  p0 = f32[4] parameter(0)
  p1 = f32[4] parameter(1)
  ROOT r = f32[4] fusion(p0, p1), kind=kLoop, calls=f0
})");
  EXPECT_THAT(back(entry("r"), 0), ElementsAre(HasSubstr("custom-call v0: ")));
  EXPECT_THAT(back(entry("r"), 1), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
}

TEST_F(WalkTest, WhatIsNeverReadIsKnownEmpty) {
  read(R"(
f0 {
  p0 = f32[5,4] parameter(0)
  p1 = f32[5,4] parameter(1)
  v0 = f32[10,4] concatenate(p0, p1), dimensions={0}
  ROOT v1 = f32[3,4] slice(v0), slice={[0:3], [0:4]}
}
ENTRY e {
  p0 = f32[5,4] parameter(0)
  p1 = f32[5,4] parameter(1)
  ROOT r = f32[3,4] fusion(p0, p1), kind=kLoop, calls=f0
})");
  const auto second = *output_to_input(entry("r"), {.operand = 1});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_TRUE(second[0].map.known_empty());
  EXPECT_EQ(second[0].map.results().size(), 2U);
  EXPECT_EQ(second[0].exactness, Exactness::exact);
}

TEST_F(WalkTest, AConditionalReadsBothBranchesAndItsPredicate) {
  read(R"(
t { p = f32[4,2] parameter(0) ROOT r = f32[2,4] transpose(p), dimensions={1,0} }
f { p = f32[2,4] parameter(0) ROOT r = f32[2,4] reverse(p), dimensions={0} }
ENTRY e {
  c = pred[] parameter(0)
  a = f32[4,2] parameter(1)
  b = f32[2,4] parameter(2)
  ROOT r = f32[2,4] conditional(c, a, b), true_computation=t, false_computation=f
})");
  EXPECT_THAT(back(entry("r"), 0), ElementsAre("(d0, d1) -> (), domain: d0 in [0, 1], d1 in [0, 3]"));
  EXPECT_THAT(back(entry("r"), 1), ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 3]"));
  EXPECT_THAT(back(entry("r"), 2),
              ElementsAre("(d0, d1) -> (-d0 + 1, d1), domain: d0 in [0, 1], d1 in [0, 3]"));
  EXPECT_THAT(forth(entry("r"), 0),
              ElementsAre("()[s0, s1] -> (s0, s1), domain: s0 in [0, 1], s1 in [0, 3]"));
}

// Walks from many parameters end at values that reach the root unchanged. A slice of the first elements reads
// element i for element i, but passes on only some of them.
TEST_F(WalkTest, TheWayThatManyOperandsShareChangesNoAnswer) {
  read(R"(
f {
  a = f32[8,8] parameter(0)
  b = f32[8,8] parameter(1)
  c = f32[8,8] parameter(2)
  d = f32[16,8] parameter(3)
  t = f32[8,8] transpose(b), dimensions={1,0}
  ab = f32[8,8] add(a, t)
  first = f32[8,8] slice(d), slice={[0:8], [0:8]}
  abd = f32[8,8] add(ab, first)
  twice = f32[8,8] add(c, c)
  back = f32[8,8] reverse(c), dimensions={0}
  cs = f32[8,8] add(twice, back)
  ROOT r = f32[8,8] add(abd, cs)
}
ENTRY e {
  a = f32[8,8] parameter(0)
  b = f32[8,8] parameter(1)
  c = f32[8,8] parameter(2)
  d = f32[16,8] parameter(3)
  ROOT r = f32[8,8] fusion(a, b, c, d), kind=kLoop, calls=f
})");
  const Instruction& r = entry("r");
  EXPECT_THAT(forth(r, 0), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]"));
  EXPECT_THAT(forth(r, 1), ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 7]"));
  EXPECT_THAT(forth(r, 2),
              UnorderedElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]",
                                   "(d0, d1) -> (-d0 + 7, d1), domain: d0 in [0, 7], d1 in [0, 7]"));
  EXPECT_THAT(forth(r, 3), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]"));
}

TEST_F(WalkTest, NumbersThatDoNotExistAreErrors) {
  read("ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }");
  EXPECT_EQ(program_.reads_of_output(entry("r"), 1).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.readers_of_operand(entry("r"), {.operand = 1}).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.output_to_operand(entry("r"), {.operand = 3}).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.operand_to_output(entry("r"), {.output = 3}).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.grouped({.value = {&entry("r"), 7}}).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.grouped({.value = {}}).error().code, Code::bad_option);
  EXPECT_EQ(program_.path_input_to_output(std::span<const Instruction* const>()).error().code,
            Code::bad_option);
}

}  // namespace
}  // namespace tessera
