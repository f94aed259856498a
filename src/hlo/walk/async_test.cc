// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "hlo/walk/walk_test.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WalkAsyncTest : public WalkTest {};

TEST_F(WalkAsyncTest, AsynchronousOperationsGoThroughTheirComputation) {
  read(R"(
wrapped { p = f32[4,2] parameter(0) ROOT r = f32[2,4] transpose(p), dimensions={1,0} }
ENTRY e {
  p0 = f32[4,2] parameter(0)
  start = ((f32[4,2]), f32[2,4], u32[]) async-start(p0), calls=wrapped
  update = ((f32[4,2]), f32[2,4], u32[]) async-update(start)
  ROOT done = f32[2,4] async-done(update)
})");
  const auto grouped = program_.grouped({.value = {&entry("done"), 0}});
  ASSERT_EQ(grouped->back().value.instruction, &entry("p0"));
  EXPECT_THAT(texts(grouped->back().maps),
              ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 3]"));
  const auto forward = program_.forward_to_root({&entry("p0"), 0});
  ASSERT_EQ(forward->size(), 1U);
  EXPECT_THAT(texts(forward->at(0).maps),
              ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 1]"));
}

// Regression: the function of a reduction was mistaken for the started operation, so every element read
// scalars.
TEST_F(WalkAsyncTest, AsynchronousOperationsWithoutAComputationAreTheOperation) {
  read(R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e {
  p0 = f32[4] parameter(0)
  p1 = f32[6] parameter(1)
  i = s32[] parameter(2)
  map = ((f32[4], f32[4]), f32[4], s32[]) map-start(p0, p0), dimensions={0}, to_apply=add
  slice = ((f32[6]), f32[3], s32[]) slice-start(p1), slice={[1:6:2]}
  dynamic = ((f32[6], s32[]), f32[3], s32[]) dynamic-slice-start(p1, i), dynamic_slice_sizes={3}
  scatter = ((f32[4], f32[6]), (f32[2], f32[3])) reduce-scatter-start(p0, p1), replica_groups={{0,1}},
    dimensions={0}, to_apply=add
  ROOT done = f32[3] slice-done(slice)
})");
  EXPECT_THAT(back(entry("map"), 0, 2), ElementsAre("(d0) -> (d0), domain: d0 in [0, 3]"));
  EXPECT_THAT(back(entry("slice"), 0, 1), ElementsAre("(d0) -> (d0 * 2 + 1), domain: d0 in [0, 2]"));
  EXPECT_THAT(forth(entry("slice"), 0, 1),
              ElementsAre("(d0) -> (d0 / 2), domain: d0 in [1, 5], d0 mod 2 in [1, 1]"));
  EXPECT_THAT(back(entry("dynamic"), 0, 2),
              ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 2], rt0 in [0, 3]"));
  EXPECT_THAT(
      back(entry("scatter"), 1, 3),
      ElementsAre("(d0)[s0]{rt0} -> (rt0 * 3 + d0), domain: d0 in [0, 2], s0 in [0, 1], rt0 in [0, 1]"));
  EXPECT_THAT(back(entry("scatter"), 0, 3), IsEmpty());
  const auto grouped = program_.grouped({.value = {&entry("done"), 0}});
  EXPECT_THAT(texts(grouped->back().maps), ElementsAre("(d0) -> (d0 * 2 + 1), domain: d0 in [0, 2]"));
}

TEST_F(WalkAsyncTest, StartsThatDoNotFitAreUnknown) {
  constexpr std::string_view kText = R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
ENTRY e {
  p = f32[6] parameter(0)
  z = f32[] parameter(1)
  long = ((f32[6]), f32[5], s32[]) slice-start(p), slice={[1:6:2]}
  ROOT bare = f32[] reduce-start(p, z), dimensions={0}, to_apply=add
})";
  parsed_ = parse_hlo(kText);
  EXPECT_EQ(parsed_.diagnostics.size(), 2U);
  EXPECT_THAT(back(entry("long"), 0, 1), ElementsAre("unknown: the instruction has an error"));
  EXPECT_THAT(back(entry("bare"), 0), ElementsAre("unknown: the instruction has an error"));
  // Even unchecked, a start must not be mistaken for its reducer.
  parsed_ = parse_hlo(kText, {.verify = false});
  EXPECT_THAT(texts(program_.reads_of_output(entry("bare"), 0)->front().maps),
              ElementsAre("unknown: the instruction has an error"));
}

// If the maps of the called computation are unknown, only those of the result (array 1) are unknown.
// Regression: arrays 1, 2 and 3 were unknown, although array 3 does not exist.
TEST_F(WalkAsyncTest, AnAsynchronousStartThatFitsNothingIsUnknownOnlyInItsResult) {
  constexpr std::string_view kText = R"(
f { q = f32[4] parameter(0) ROOT r = f32[4] negate(q) }
ENTRY e {
  b = f32[5] parameter(0)
  ROOT y = ((f32[5]), f32[4], u32[]) async-start(b), calls=f
})";
  parsed_ = parse_hlo(kText, {.verify = false});
  const auto readers = program_.readers_of_operand(entry("y"), {});
  ASSERT_EQ(readers->size(), 2U);
  EXPECT_EQ(readers->at(0).leaf, 0U);
  EXPECT_EQ(readers->at(1).leaf, 1U);
  EXPECT_EQ(exactness(readers->at(1).maps), Exactness::unknown);
}

// Regression: every output of a copy of a tuple read every element, through maps of the output's rank.
TEST_F(WalkAsyncTest, WhatIsDoneToATupleIsDoneToEachOfItsArrays) {
  read(R"(
HloModule m, replica_count=2
ENTRY e {
  t = (f32[4,6], s32[]) parameter(0)
  copy = (f32[4,6], s32[]) copy(t)
  bitcast = (f32[24], s32[]) bitcast(t)
  permute = (f32[4,6], s32[]) collective-permute(t), source_target_pairs={{0,1}}
  marker = (f32[4,6], s32[]) custom-call(t), custom_call_target="Sharding"
  start = ((f32[4,6], s32[]), (f32[4,6], s32[]), u32[]) copy-start(t)
  a = f32[3] parameter(1)
  ROOT several = (f32[3], (f32[4,6], s32[])) collective-permute(a, t), source_target_pairs={{0,1}}
})");
  const char* const same = "(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 5]";
  const auto reads = [&](const char* name, std::uint32_t output) {
    std::vector<std::string> out;
    const auto found = program_.reads_of_output(entry(name), output);
    for (const OperandIndexing& x : *found) {
      for (const std::string& map : texts(x.maps)) out.push_back(fmt::format("{{{}}} {}", x.leaf, map));
    }
    return out;
  };
  const auto read_by = [&](const char* name, std::uint32_t leaf) {
    std::vector<std::string> out;
    const auto found = program_.readers_of_operand(entry(name), {.leaf = leaf});
    for (const OutputIndexing& x : *found) {
      for (const std::string& map : texts(x.maps)) out.push_back(fmt::format("{} {}", x.leaf, map));
    }
    return out;
  };
  for (const char* name : {"copy", "permute", "marker", "start"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(reads(name, 0), ElementsAre(fmt::format("{{0}} {}", same)));
    EXPECT_THAT(reads(name, 1), ElementsAre("{1} () -> ()"));
  }
  for (const char* name : {"copy", "permute", "marker"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(read_by(name, 0), ElementsAre(fmt::format("0 {}", same)));
    EXPECT_THAT(read_by(name, 1), ElementsAre("1 () -> ()"));
  }
  EXPECT_THAT(reads("start", 2), ElementsAre(fmt::format("{{0}} {}", same)));
  EXPECT_THAT(reads("start", 3), ElementsAre("{1} () -> ()"));
  EXPECT_THAT(read_by("start", 1), ElementsAre("1 () -> ()", "3 () -> ()"));
  EXPECT_THAT(reads("bitcast", 0), ElementsAre("{0} (d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 23]"));
  EXPECT_THAT(reads("bitcast", 1), ElementsAre("{1} () -> ()"));
  // With a tuple among several operands, the number of an output does not determine its operand, so every map
  // is unknown.
  for (const std::uint32_t output : {0U, 1U, 2U}) {
    const auto found = program_.reads_of_output(entry("several"), output);
    ASSERT_FALSE(found->empty());
    for (const OperandIndexing& x : *found) EXPECT_EQ(exactness(x.maps), Exactness::unknown);
  }
}

constexpr std::string_view kLate = R"(
sub { p = f32[4,2] parameter(0) q = f32[2] parameter(1) t = f32[2,4] transpose(p), dimensions={1,0}
  b = f32[2,4] broadcast(q), dimensions={0} ROOT r = f32[2,4] add(t, b) }
)";

// An update binds the second operand, and another the result.
TEST_F(WalkAsyncTest, OperandsAndResultsThatAreBoundLateAreRead) {
  read(std::string(kLate) + R"(
ENTRY e {
  x = f32[4,2] parameter(0)
  y = f32[2] parameter(1)
  start = ((f32[4,2]), (), s32[]) async-start(x), calls=sub
  bound = ((f32[4,2], f32[2]), (), s32[]) async-update(start, y)
  update = ((f32[4,2], f32[2]), f32[2,4], s32[]) async-update(bound)
  ROOT done = f32[2,4] async-done(update)
})");
  const auto found = program_.to_parameters({.value = {&entry("done"), 0}});
  ASSERT_EQ(found->size(), 2U);
  EXPECT_THAT(texts(found->at(0).maps),
              ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 3]"));
  EXPECT_THAT(texts(found->at(1).maps), ElementsAre("(d0, d1) -> (d0), domain: d0 in [0, 1], d1 in [0, 3]"));
  const auto forward = program_.forward_to_root({&entry("y"), 0});
  ASSERT_EQ(forward->size(), 1U);
  EXPECT_THAT(texts(forward->at(0).maps),
              ElementsAre("(d0)[s0] -> (d0, s0), domain: d0 in [0, 1], s0 in [0, 3]"));
}

// The end binds the result, and a buffer for it is not read.
TEST_F(WalkAsyncTest, TheEndOrABufferBindsTheResult) {
  read(std::string(kLate) + R"(
ENTRY e {
  x = f32[4,2] parameter(0)
  y = f32[2] parameter(1)
  z = f32[2,4] parameter(2)
  a = ((), (), s32[]) call-start(), to_apply=sub
  b = ((f32[4,2], f32[2]), (), s32[]) call-update(a, x, y)
  c = f32[2,4] call-done(b)
  d = ((f32[4,2], f32[2]), (), s32[]) call-start(x, y), to_apply=sub
  e = ((f32[4,2], f32[2]), f32[2,4], s32[]) call-update(d, z)
  f = f32[2,4] call-done(e)
  ROOT t = (f32[2,4], f32[2,4]) tuple(c, f)
})");
  for (const std::uint32_t leaf : {0U, 1U}) {
    const auto found = program_.to_parameters({.value = {&entry("t"), leaf}});
    ASSERT_EQ(found->size(), 2U);
    EXPECT_THAT(texts(found->at(0).maps),
                ElementsAre("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 3]"));
  }
}

TEST_F(WalkAsyncTest, AChainBindsEveryParameterOnceAndInOrder) {
  const auto errors = [](std::string_view lines) {
    return parse_hlo(std::string(kLate) +
                     "ENTRY e {\n  x = f32[4,2] parameter(0)\n  y = f32[2] parameter(1)\n" +
                     std::string(lines) + "}\n")
        .diagnostics.size();
  };
  EXPECT_EQ(errors("s = ((f32[4,2], f32[2], f32[2]), f32[2,4], s32[]) async-start(x, y, y), calls=sub\n"),
            1U);
  EXPECT_EQ(errors("s = ((f32[2]), f32[2,4], s32[]) async-start(y), calls=sub\n"), 1U);
  EXPECT_EQ(errors("s = ((f32[4,2]), f32[2,4], s32[]) async-start(x), calls=sub\n"
                   "d = f32[2,4] async-done(s)\n"),
            1U);
  EXPECT_EQ(errors("s = ((f32[4,2]), f32[2,4], s32[]) async-start(x), calls=sub\n"
                   "u = ((f32[4,2]), f32[2,4], s32[]) async-update(s, y)\n"),
            1U);
  EXPECT_EQ(errors("s = ((f32[4,2], f32[2]), (), s32[]) async-start(x, y), calls=sub\n"
                   "d = f32[4,2] async-done(s)\n"),
            1U);
}

}  // namespace
}  // namespace tessera
