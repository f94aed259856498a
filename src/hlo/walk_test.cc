// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/walk.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/hlo/parser.h"
#include "tessera/map/simplify.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Maps as text; unknown ones as their reason.
std::vector<std::string> texts(const IndexingSet& maps) {
  std::vector<std::string> out;
  for (const OperandIndexing& x : maps) {
    out.push_back(x.exactness == Exactness::unknown ? "unknown: " + x.reason : to_string(x.map));
  }
  return out;
}

class WalkTest : public ::testing::Test {
 protected:
  void read(std::string_view text) {
    parsed_ = parse_hlo(text);
    for (const Diagnostic& d : parsed_.diagnostics) ADD_FAILURE() << to_string(d);
  }
  const HloModule& module() const { return parsed_.modules.at(0); }
  const Instruction& entry(std::string_view name) const { return *module().entry->find(name); }
  const Instruction& inner(std::string_view computation, std::string_view name) const {
    return *module().find(computation)->find(name);
  }
  std::vector<std::string> back(const Instruction& i, std::size_t operand, std::size_t output = 0) {
    return texts(*output_to_input(i, output, operand));
  }
  std::vector<std::string> forth(const Instruction& i, std::size_t operand, std::size_t output = 0) {
    return texts(*input_to_output(i, operand, output));
  }

  ParsedModules parsed_;
  ProgramIndexing program_;
};

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
  EXPECT_THAT(texts(*footprint.output_to_operand(entry("r"), 0, 0)), ElementsAre(row));
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

TEST_F(WalkTest, RuntimeVariablesStayWithTheirOwnOperands) {
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
  const auto maps = output_to_input(entry("r"), 0, 0);
  ASSERT_EQ(maps->size(), 1U);
  const OperandIndexing& x = maps->front();
  EXPECT_EQ(to_string(x.map),
            "(d0, d1){rt0, rt1, rt2, rt3} -> (d0 + rt0 + rt2, d1 + rt1 + rt3), domain: d0 in [0, 24], d1 in "
            "[0, 15], "
            "rt0 in [0, 100], rt1 in [0, 32], rt2 in [0, 25], rt3 in [0, 16]");
  ASSERT_EQ(x.runtime.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(x.runtime[i].source, &entry(std::string(1, "abcd"[i])));
}

TEST_F(WalkTest, OneStartIndexReadTwiceIsOneRuntimeVariable) {
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
  const auto maps = output_to_input(entry("r"), 0, 0);
  ASSERT_FALSE(maps->empty());
  for (const OperandIndexing& x : *maps) {
    EXPECT_EQ(x.map.runtime_count(), 1U) << to_string(x.map);
    ASSERT_EQ(x.runtime.size(), 1U);
    EXPECT_EQ(x.runtime[0].source, &entry("i"));
  }
}

TEST_F(WalkTest, AConstantAtTheCallFoldsInsideAndAnotherCallKeepsItsVariable) {
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
  const auto a = *program_.output_to_operand(entry("a"), 0, 0);
  const auto b = *program_.output_to_operand(entry("b"), 0, 0);
  EXPECT_THAT(texts(a), ElementsAre("(d0) -> (d0 + 90), domain: d0 in [0, 9]"));
  EXPECT_THAT(a[0].runtime, IsEmpty());
  EXPECT_THAT(texts(b), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 90]"));
  EXPECT_EQ(b[0].runtime.at(0).source, &entry("n"));
  // The second question does not depend on what the first one left behind.
  EXPECT_EQ(texts(*program_.output_to_operand(entry("a"), 0, 0)), texts(a));
}

TEST_F(WalkTest, HopsOfChainedGathersComeOutermostFirst) {
  read(R"(ENTRY e {
  p0 = f32[128] parameter(0)
  v0 = f32[256] all-gather(p0), replica_groups={{0,1}}, dimensions={0}
  ROOT v1 = f32[512] all-gather(v0), replica_groups={{0,1}}, dimensions={0}
})");
  const auto grouped = program_.grouped({.value = {&entry("v1"), 0}});
  ASSERT_EQ(grouped->size(), 3U);
  const OperandIndexing& x = grouped->back().maps.at(0);
  EXPECT_EQ(to_string(x.map), "(d0) -> (d0 mod 128), domain: d0 in [0, 511]");
  ASSERT_EQ(x.replica.size(), 2U);
  EXPECT_EQ(to_string(x.replica[0].map), "(d0) -> (d0 / 256), domain: d0 in [0, 511]");
  EXPECT_EQ(to_string(x.replica[1].map), "(d0) -> ((d0 / 128) mod 2), domain: d0 in [0, 511]");
}

// What is said instead of too many maps once kept the start indices of one of them: the others read nothing.
TEST_F(WalkTest, TheWholeValueIsSaidForEveryStartIndex) {
  std::string text = "f {\n  a = f32[300] parameter(0)\n";
  std::string parts;
  constexpr int kParts = 129;
  for (int i = 0; i < kParts; ++i) {
    const int from = i * 7 % 258;
    text += fmt::format("  x{} = f32[2] slice(a), slice={{[{}:{}]}}\n", i, from, from + 2);
    parts += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  text += fmt::format("  ROOT c = f32[258] concatenate({}), dimensions={{0}}\n}}\n", parts);
  text += "g {\n  b = f32[300] parameter(0)\n  w = f32[258] fusion(b), kind=kLoop, calls=f\n";
  text += "  s = f32[258] slice(b), slice={[0:258]}\n";
  text += "  h = f32[10] slice(w), slice={[20:30]}\n  z = f32[] constant(0)\n";
  text += "  l = f32[258] pad(h, z), padding=248_0\n  ROOT r = f32[258] add(l, s)\n}\n";
  text += "ENTRY e {\n  p = f32[300] parameter(0)\n  q = f32[258] fusion(p), kind=kLoop, calls=f\n";
  text += "  ROOT t = f32[258] fusion(p), kind=kLoop, calls=g\n}\n";
  read(text);
  EXPECT_THAT(back(entry("q"), 0), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 257], s0 in [0, 299]"));
  EXPECT_THAT(forth(entry("q"), 0), ElementsAre("(d0)[s0] -> (s0), domain: d0 in [0, 299], s0 in [0, 257]"));
  // Such a map of a part of the start does not stand for the rest of it.
  EXPECT_THAT(back(entry("t"), 0),
              UnorderedElementsAre("(d0)[s0] -> (s0), domain: d0 in [248, 257], s0 in [0, 299]",
                                   "(d0) -> (d0), domain: d0 in [0, 257]"));
}

// Through a computation, every replica was once said to read both operands, exactly.
TEST_F(WalkTest, TheOwnPositionDecidesWhichOperandOfAnExchangeIsRead) {
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

// Two gathers in different groups were once taken for one and the same: half of what is read was lost.
TEST_F(WalkTest, HopsThroughDifferentGroupsAreDifferent) {
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
  const auto maps = program_.output_to_operand(entry("c"), 0, 0).value();
  std::vector<std::string> groups;
  for (const OperandIndexing& x : maps) groups.emplace_back(x.replica.at(0).groups.text());
  EXPECT_THAT(groups, UnorderedElementsAre("[2,2]<=[4]", "{{0,2},{1,3}}"));
}

// What is scattered and gathered again in the same groups stays where it was. It once moved to the place of
// the replica that was asked.
TEST_F(WalkTest, AHopLeadsToTheReplicaAtThatPosition) {
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
  const auto maps = program_.output_to_operand(entry("c"), 0, 0).value();
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(to_string(maps[0].map),
            "(d0)[s0]{rt0} -> (rt0 * 2 + d0 mod 2), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 1]");
  EXPECT_EQ(maps[0].runtime.at(0).hops, 1U);
}

// The start of a slice is read on the replica that runs it: two replicas have two.
TEST_F(WalkTest, ValuesBehindAHopAreThoseOfTheOtherReplica) {
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
  const auto maps = program_.output_to_operand(entry("c"), 0, 0).value();
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(to_string(maps[0].map),
            "(d0){rt0, rt1} -> (d0 + rt0 + rt1), domain: d0 in [0, 3], rt0 in [0, 1], rt1 in [0, 1]");
  EXPECT_EQ(maps[0].runtime.at(0).hops, 1U);
  EXPECT_EQ(maps[0].runtime.at(1).hops, 0U);
}

TEST_F(WalkTest, HopsBetweenNumberedReplicasStayAsTheyAre) {
  read(R"(ENTRY e {
  p0 = f32[4] parameter(0)
  v0 = f32[4] collective-permute(p0), source_target_pairs={{0,1},{1,2},{2,0}}
  v1 = f32[8] all-gather(v0), replica_groups={{0,1}}, dimensions={0}
  ROOT v2 = f32[8] collective-permute(v1), source_target_pairs={{0,1},{1,2}}
})");
  const auto grouped = program_.grouped({.value = {&entry("v2"), 0}});
  const OperandIndexing& x = grouped->back().maps.at(0);
  EXPECT_EQ(to_string(x.map), "(d0) -> (d0 mod 4), domain: d0 in [0, 7]");
  std::vector<std::string> hops;
  for (const ReplicaHop& hop : x.replica) hops.push_back(to_string(hop.map));
  EXPECT_THAT(hops, ElementsAre("(replica) -> (replica - 1), domain: replica in [1, 2]",
                                "(d0) -> (d0 / 4), domain: d0 in [0, 7]",
                                "(replica) -> ((replica + 2) mod 3), domain: replica in [0, 2]"));
}

TEST_F(WalkTest, GroupedMapsEndAtValuesOutsideTheCluster) {
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

TEST_F(WalkTest, AStartInsideAFusionLeadsOutOverItsOperands) {
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

TEST_F(WalkTest, APathLeadsForwardToItsEnd) {
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
  const auto second = *output_to_input(entry("r"), 0, 1);
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

TEST_F(WalkTest, ALoopHandsOnWhatItsBodyLeavesAlone) {
  read(kLoop);
  const auto weights = program_.output_to_input(entry("loop"), 2);
  ASSERT_EQ(weights->size(), 1U);
  EXPECT_EQ(weights->at(0).leaf, 2U);
  EXPECT_THAT(texts(weights->at(0).maps), ElementsAre("(d0) -> (d0), domain: d0 in [0, 7]"));
  EXPECT_EQ(weights->at(0).maps[0].element, 2);
}

TEST_F(WalkTest, WhatALoopChangesIsUnknownButOnlyWhereTheBodyAndTheConditionRead) {
  read(kLoop);
  const auto state = program_.output_to_input(entry("loop"), 1);
  std::vector<std::uint32_t> arrays;
  for (const OperandLeafIndexing& x : *state) {
    arrays.push_back(x.leaf);
    EXPECT_THAT(texts(x.maps), ElementsAre("unknown: loop-carried dependence"));
  }
  EXPECT_THAT(arrays, ElementsAre(0U, 1U, 2U));  // the counter decides how often, the weights are added
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

TEST_F(WalkTest, AsynchronousOperationsGoThroughTheirComputation) {
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

// The function of a reduction was once taken for what is started, and every element said to read scalars.
TEST_F(WalkTest, AsynchronousOperationsWithoutAComputationAreTheOperation) {
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

TEST_F(WalkTest, StartsThatDoNotFitAreUnknown) {
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
  // Unchecked, no start may pass for its reducer.
  parsed_ = parse_hlo(kText, {.verify = false});
  EXPECT_THAT(texts(program_.output_to_input(entry("bare"), 0)->front().maps),
              ElementsAre("unknown: the instruction has an error"));
}

TEST_F(WalkTest, DiamondsCostWhatTheirDistinctMapsCost) {
  // Each level adds two neighbours: 2^40 ways, 41 elements.
  std::string text = "ENTRY e {\n  v0 = f32[100] parameter(0)\n";
  for (int i = 0; i < 40; ++i) {
    const int n = 100 - i;
    text += fmt::format(
        "  a{0} = f32[{2}] slice(v{0}), slice={{[0:{2}]}}\n  b{0} = f32[{2}] slice(v{0}), "
        "slice={{[1:{1}]}}\n  v{3} = f32[{2}] add(a{0}, b{0})\n",
        i, n, n - 1, i + 1);
  }
  text += "  ROOT r = f32[60] negate(v40)\n}\n";
  read(text);
  const auto grouped = program_.grouped({.value = {&entry("r"), 0}});
  EXPECT_EQ(grouped->back().value.instruction, &entry("v0"));
  EXPECT_EQ(grouped->back().maps.size(), 41U);
  EXPECT_EQ(exactness(grouped->back().maps), Exactness::exact);
}

TEST_F(WalkTest, TooManyMapsBecomeOneThatSaysSo) {
  // Steps of 1, 2, 4, ...: every way ends at another element.
  std::string text = "ENTRY e {\n  v0 = f32[4096] parameter(0)\n";
  int n = 4096;
  for (int i = 0; i < 11; ++i) {
    const int shift = 1 << i;
    text += fmt::format(
        "  a{0} = f32[{2}] slice(v{0}), slice={{[0:{2}]}}\n  b{0} = f32[{2}] slice(v{0}), "
        "slice={{[{4}:{1}]}}\n  v{3} = f32[{2}] add(a{0}, b{0})\n",
        i, n, n - shift, i + 1, shift);
    n -= shift;
  }
  text += fmt::format("  ROOT r = f32[{}] negate(v11)\n}}\n", n);
  read(text);
  const auto grouped = program_.grouped({.value = {&entry("r"), 0}});
  const IndexingSet& maps = grouped->back().maps;
  EXPECT_EQ(exactness(maps), Exactness::superset);
  EXPECT_LE(maps.size(), kMaxIndexingMaps + 1);
  // Every sum of steps is read; a first version lost those of the last steps.
  std::vector<bool> covered(2048);
  for (const OperandIndexing& x : maps) {
    EXPECT_THAT(x.reason, HasSubstr("more maps than a set may hold"));
    const Interval reads = range(x.map.results()[0], x.map.domain());
    ASSERT_TRUE(x.map.results()[0].is_binary() || x.map.results()[0].is_variable());
    for (Index e = reads.lower; e <= std::min<Index>(reads.upper, 2047); ++e)
      covered[static_cast<std::size_t>(e)] = true;
  }
  EXPECT_EQ(std::count(covered.begin(), covered.end(), false), 0);
}

TEST_F(WalkTest, CallsNestedTooDeepAreUnknownWhereverOneAsks) {
  std::string text = "level0 { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }\n";
  constexpr int kLevels = 400;
  for (int i = 1; i < kLevels; ++i) {
    text += fmt::format("level{} {{ p = f32[2] parameter(0) ROOT r = f32[2] call(p), to_apply=level{} }}\n",
                        i, i - 1);
  }
  text += fmt::format("ENTRY e {{ p = f32[2] parameter(0) ROOT r = f32[2] call(p), to_apply=level{} }}\n",
                      kLevels - 1);
  read(text);
  EXPECT_THAT(back(entry("r"), 0), ElementsAre(HasSubstr("nested more than")));
  EXPECT_THAT(back(inner("level100", "r"), 0), ElementsAre("(d0) -> (d0), domain: d0 in [0, 1]"));
}

TEST_F(WalkTest, NumbersThatDoNotExistAreErrors) {
  read("ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }");
  EXPECT_EQ(program_.output_to_input(entry("r"), 1).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.input_to_output(entry("r"), 1).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.output_to_operand(entry("r"), 0, 3).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.operand_to_output(entry("r"), 0, 3).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.grouped({.value = {&entry("r"), 7}}).error().code, Code::index_out_of_range);
  EXPECT_EQ(program_.grouped({.value = {}}).error().code, Code::bad_option);
  EXPECT_EQ(program_.path_input_to_output(std::span<const Instruction* const>()).error().code,
            Code::bad_option);
}

}  // namespace
}  // namespace tessera
