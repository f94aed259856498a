// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "hlo/walk/walk_test.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;

class WalkLoopTest : public WalkTest {};

// Regression: an invalid parameter number was reported, but then used for a lookup.
TEST_F(WalkLoopTest, AParameterThatIsNoneIsUnknown) {
  for (const int number : {1, 2, 4000000}) {
    const ParsedModules parsed = parse_hlo(fmt::format(R"(
cond {{
  s = (s32[], f32[3]) parameter(0)
  ROOT p = pred[] constant(true)
}}
body {{
  s = (s32[], f32[3]) parameter({})
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  y = f32[3] negate(x)
  ROOT r = (s32[], f32[3]) tuple(i, y)
}}
ENTRY e {{
  t = (s32[], f32[3]) parameter(0)
  ROOT w = (s32[], f32[3]) while(t), condition=cond, body=body
}})",
                                                       number));
    EXPECT_FALSE(parsed.ok());
    const Instruction& loop = *parsed.modules.at(0).entry->root;
    EXPECT_EQ(exactness(ProgramIndexing().output_to_operand(loop, {.output = 1}).value()),
              Exactness::unknown);
  }
}

constexpr std::string_view kLoop = R"(
body {
  s = (s32[], f32[8], f32[8], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[8] get-tuple-element(s), index=1
  w = f32[8] get-tuple-element(s), index=2
  y = f32[8] add(x, w)
  u = f32[3] get-tuple-element(s), index=3
  n = f32[3] negate(u)
  ROOT r = (s32[], f32[8], f32[8], f32[3]) tuple(next, y, w, n)
}
cond {
  s = (s32[], f32[8], f32[8], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  ten = s32[] constant(10)
  ROOT r = pred[] compare(i, ten), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  c = f32[3] parameter(2)
  init = (s32[], f32[8], f32[8], f32[3]) tuple(zero, a, b, c)
  loop = (s32[], f32[8], f32[8], f32[3]) while(init), condition=cond, body=body
  weights = f32[8] get-tuple-element(loop), index=2
  state = f32[8] get-tuple-element(loop), index=1
  ROOT r = f32[8] add(weights, state)
})";

TEST_F(WalkLoopTest, ALoopHandsOnWhatItsBodyLeavesAlone) {
  read(kLoop);
  const auto weights = program_.reads_of_output(entry("loop"), 2);
  ASSERT_EQ(weights->size(), 1U);
  EXPECT_EQ(weights->at(0).leaf, 2U);
  EXPECT_THAT(texts(weights->at(0).maps), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
  EXPECT_EQ(weights->at(0).maps[0].leaf, 2);
}

// The same loop with a condition that does not determine the number of iterations.
std::string open_ended() {
  std::string text(kLoop);
  constexpr std::string_view kTest = "compare(i, ten)";
  text.replace(text.find(kTest), kTest.size(), "compare(square, ten)");
  constexpr std::string_view kTen = "  ten = s32[] constant(10)\n";
  text.insert(text.find(kTen), "  square = s32[] multiply(i, i)\n");
  return text;
}

TEST_F(WalkLoopTest, WhatALoopChangesIsUnknownButOnlyWhereTheBodyAndTheConditionRead) {
  read(open_ended());
  const auto state = program_.reads_of_output(entry("loop"), 1);
  std::vector<std::uint32_t> arrays;
  for (const OperandIndexing& x : *state) {
    arrays.push_back(x.leaf);
    EXPECT_THAT(texts(x.maps), ElementsAre("unknown: loop-carried dependence"));
  }
  // The counter determines the number of iterations, and the weights are added.
  EXPECT_THAT(arrays, ElementsAre(0U, 1U, 2U));
  const auto grouped = program_.grouped({.value = {&entry("r"), 0}});
  const auto reached = [&](std::string_view name) {
    return std::ranges::any_of(*grouped,
                               [&](const ValueIndexing& v) { return v.value.instruction == &entry(name); });
  };
  EXPECT_TRUE(reached("a"));
  EXPECT_TRUE(reached("b"));
  EXPECT_FALSE(reached("c"));
  EXPECT_THAT(back(entry("loop"), 0, 1), ElementsAre("unknown: loop-carried dependence"));
  EXPECT_THAT(forth(entry("loop"), 0, 2), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
}

// Regression: the uses of an array that the body passes on lacked the arrays to which the body adds it, so
// the two directions disagreed.
TEST_F(WalkLoopTest, WhatALoopHandsOnIsReadByTheOthersToo) {
  for (const bool counted : {true, false}) {
    read(counted ? std::string(kLoop) : open_ended());
    ProgramIndexing program;
    const auto uses = program.readers_of_operand(entry("loop"), {.leaf = 2});
    std::vector<std::uint32_t> outputs;
    for (const OutputIndexing& use : *uses) outputs.push_back(use.leaf);
    EXPECT_THAT(outputs, ElementsAre(1U, 2U)) << counted;
  }
}

TEST_F(WalkLoopTest, ACountedLoopIsFollowedThroughItsIterations) {
  read(kLoop);
  const auto state = program_.reads_of_output(entry("loop"), 1);
  ASSERT_EQ(state->size(), 3U);
  EXPECT_THAT(texts(state->at(0).maps), ElementsAre("(d0) -> (), domain: d0 in [0, 7]"));
  EXPECT_THAT(texts(state->at(1).maps), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
  EXPECT_THAT(texts(state->at(2).maps), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
}

// Regression: each iteration reads a row, changes one element, and writes the row back, so the old elements
// come both through the array and through the update. They were taken for overwritten.
TEST_F(WalkLoopTest, AnUpdateMayReadTheArrayThatItIsWrittenTo) {
  constexpr std::string_view kChange = R"(
f {
  row = f32[1,3] parameter(0)
  v = f32[1,1] parameter(1)
  k = s32[] parameter(2)
  z = s32[] constant(0)
  ROOT new = f32[1,3] dynamic-update-slice(row, v, z, k)
}
g {
  x = f32[4,3] parameter(0)
  new = f32[1,3] parameter(1)
  i = s32[] parameter(2)
  z = s32[] constant(0)
  ROOT n = f32[4,3] dynamic-update-slice(x, new, i, z)
}
body {
  st = (f32[4,3], f32[1,1], s32[], s32[]) parameter(0)
  x = f32[4,3] get-tuple-element(st), index=0
  v = f32[1,1] get-tuple-element(st), index=1
  k = s32[] get-tuple-element(st), index=2
  i = s32[] get-tuple-element(st), index=3
  z = s32[] constant(0)
  row = f32[1,3] dynamic-slice(x, i, z), dynamic_slice_sizes={1,3}
  new = f32[1,3] WHAT
  n = f32[4,3] fusion(x, new, i), kind=kLoop, calls=g
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (f32[4,3], f32[1,1], s32[], s32[]) tuple(n, v, k, j)
}
cond {
  st = (f32[4,3], f32[1,1], s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(st), index=3
  l = s32[] constant(4)
  ROOT r = pred[] compare(i, l), direction=LT
}
ENTRY e {
  x = f32[4,3] parameter(0)
  v = f32[1,1] parameter(1)
  k = s32[] parameter(2)
  i = s32[] constant(0)
  st = (f32[4,3], f32[1,1], s32[], s32[]) tuple(x, v, k, i)
  ROOT loop = (f32[4,3], f32[1,1], s32[], s32[]) while(st), condition=cond, body=body
})";
  for (const std::string what :
       {"dynamic-update-slice(row, v, z, k)", "fusion(row, v, k), kind=kLoop, calls=f"}) {
    std::string text(kChange);
    text.replace(text.find("WHAT"), 4, what);
    read(text);
    ProgramIndexing program;
    const auto back = program.reads_of_output(entry("loop"), 0);
    const auto forth = program.readers_of_operand(entry("loop"), {.leaf = 0});
    for (const IndexingSet& maps : {back->at(0).maps, forth->at(0).maps}) {
      EXPECT_THAT(texts(maps), ElementsAre("(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 2]"));
      EXPECT_EQ(maps[0].exactness, Exactness::superset);
    }
  }
}

}  // namespace
}  // namespace tessera
