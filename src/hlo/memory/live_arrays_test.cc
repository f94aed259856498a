// SPDX-License-Identifier: Apache-2.0
#include "hlo/memory/live_arrays.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace tessera::detail {
namespace {

ProgramMemory memory_of(const std::string& text) {
  static std::deque<ParsedModules> kept;
  kept.push_back(parse_hlo(text));
  EXPECT_TRUE(kept.back().ok()) << text;
  return program_memory(kept.back().modules.at(0));
}

Count exact_live(Index n) { return {n, n}; }

TEST(LiveArrays, OperandsAndResultsAreLiveAtOnce) {
  const ProgramMemory memory = memory_of(R"(HloModule m, is_scheduled=true
  ENTRY e {
    a = f32[10] parameter(0)
    b = f32[10] negate(a)
    c = f32[10] abs(b)
    ROOT d = f32[10] add(c, a)
  })");
  EXPECT_TRUE(memory.scheduled);
  EXPECT_EQ(memory.peak, exact_live(120));
  EXPECT_EQ(memory.parameters, 40);
  EXPECT_EQ(memory.results, 40);
  ASSERT_EQ(memory.steps.size(), 4U);
  EXPECT_EQ(memory.steps[1].bytes, exact_live(80));
  EXPECT_EQ(memory.steps[2].bytes, exact_live(120));
  EXPECT_EQ(memory.at->name, "c");
  ASSERT_EQ(memory.held.size(), 3U);
}

TEST(LiveArrays, NamesTakeNoMemory) {
  const ProgramMemory memory = memory_of(R"(HloModule m, is_scheduled=true
  ENTRY e {
    a = f32[10] parameter(0)
    b = f32[10] negate(a)
    c = f32[2,5] bitcast(b)
    t = (f32[10], f32[2,5]) tuple(a, c)
    ROOT d = f32[2,5] get-tuple-element(t), index=1
  })");
  EXPECT_EQ(memory.peak, exact_live(80));
}

TEST(LiveArrays, AnUpdateInPlaceTakesNoMemory) {
  const std::string body = R"(
  ENTRY e {
    a = f32[100] parameter(0)
    u = f32[1] parameter(1)
    i = s32[] parameter(2)
    ROOT d = f32[100] dynamic-update-slice(a, u, i)
  })";
  EXPECT_EQ(memory_of("HloModule m, is_scheduled=true" + body).peak, exact_live(808));
  EXPECT_EQ(
      memory_of("HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }" + body).peak,
      exact_live(408));
}

TEST(LiveArrays, ADonatedArgumentIsReusedWhenNothingNeedsIt) {
  const std::string body = R"(
  ENTRY e {
    a = f32[100] parameter(0)
    b = f32[] constant(0)
    s = f32[] reduce(a, b), dimensions={0}, to_apply=f
    ROOT d = f32[100] broadcast(s), dimensions={}
  })";
  const std::string f = "f { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }";
  EXPECT_EQ(memory_of("HloModule m, is_scheduled=true\n" + f + body).peak, exact_live(804));
  EXPECT_EQ(
      memory_of("HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n" + f + body)
          .peak,
      exact_live(404));
}

TEST(LiveArrays, ALoopKeepsItsStateWhereItIs) {
  const ProgramMemory memory = memory_of(R"(HloModule m, is_scheduled=true
    c { p = (s32[], f32[100]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(10)
      ROOT l = pred[] compare(i, n), direction=LT }
    b { p = (s32[], f32[100]) parameter(0) i = s32[] get-tuple-element(p), index=0
      x = f32[100] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
      y = f32[100] negate(x) ROOT t = (s32[], f32[100]) tuple(j, y) }
    ENTRY e { x = f32[100] parameter(0) z = s32[] constant(0) k = s32[] copy(z) q = f32[100] copy(x)
      s = (s32[], f32[100]) tuple(k, q)
      w = (s32[], f32[100]) while(s), condition=c, body=b
      ROOT r = f32[100] get-tuple-element(w), index=1 })");
  // The argument, the counter and the state, and in the body the next counter and the next state.
  EXPECT_EQ(memory.peak, exact_live(400 + 4 + 400 + 4 + 400));
  EXPECT_EQ(memory.at->name, "y");
}

TEST(LiveArrays, WithoutAScheduleAResultMayTakeThePlaceOfADonatedArgument) {
  const std::string header = "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }";
  const std::string first = "ENTRY e { x = f32[1024] parameter(0) ";
  const std::string slice = "w = f32[1] slice(x), slice={[0:1]} ";
  const std::string fresh = "i = f32[1024] iota(), iota_dimension=0 z = f32[1024] negate(i) ";
  const std::string last = "ROOT t = (f32[1024], f32[1]) tuple(z, w) }";
  const Count one = memory_of(header + ", is_scheduled=true\n" + first + slice + fresh + last).peak;
  EXPECT_EQ(one, exact_live(8196));
  const Count peak = memory_of(header + "\n" + first + fresh + slice + last).peak;
  EXPECT_LE(peak.lower, one.lower);
  EXPECT_EQ(peak.upper, 12288);
  EXPECT_FALSE(peak.reason.empty());
}

TEST(LiveArrays, BytesInsideCallsThatAreTooDeepAreNotCalledExact) {
  std::string text =
      "HloModule m, is_scheduled=true\n"
      "g0 { x = f32[8] parameter(0) n = f32[8000] iota(), iota_dimension=0 "
      "ROOT s = f32[8] slice(n), slice={[0:8]} }\n";
  for (int i = 1; i <= 250; ++i) {
    const std::string last = std::to_string(i - 1);
    text += "g" + std::to_string(i) + " { x = f32[8] parameter(0) ROOT b = f32[8] call(x), to_apply=g" +
            last + " }\n";
  }
  const ProgramMemory memory =
      memory_of(text + "ENTRY e { x = f32[8] parameter(0) ROOT y = f32[8] call(x), to_apply=g250 }");
  EXPECT_FALSE(memory.peak.upper);
  EXPECT_FALSE(memory.steps.back().bytes.upper);
}

TEST(LiveArrays, WithoutAScheduleThePeakIsABound) {
  const ProgramMemory memory = memory_of(R"(ENTRY e {
    a = f32[10] parameter(0)
    b = f32[10] negate(a)
    c = f32[10] abs(a)
    d = f32[10] abs(b)
    f = f32[10] add(b, c)
    ROOT g = f32[10] add(d, f)
  })");
  EXPECT_FALSE(memory.scheduled);
  EXPECT_EQ(memory.peak.upper, 200);
  EXPECT_EQ(memory.peak.lower, 160);
  EXPECT_FALSE(memory.peak.reason.empty());
}

}  // namespace
}  // namespace tessera::detail
