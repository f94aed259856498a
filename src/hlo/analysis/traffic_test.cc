// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/traffic.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tessera/hlo/module.h"

namespace tessera {
namespace {

HloModule traffic_module(const std::string& text) {
  ParsedModules parsed = parse_hlo(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return std::move(parsed.modules.front());
}

const StepTraffic& step_named(const ProgramTraffic& traffic, std::string_view name) {
  static const StepTraffic kNone;
  const auto found =
      std::ranges::find(traffic.steps, name, [](const StepTraffic& step) { return step.instruction->name; });
  EXPECT_NE(found, traffic.steps.end()) << name;
  return found == traffic.steps.end() ? kNone : *found;
}

TEST(Traffic, OfAProductReadsEachRowForEachColumn) {
  const HloModule module = traffic_module(R"(ENTRY e {
  a = f32[4,8] parameter(0)
  b = bf16[8,2] parameter(1)
  ROOT d = f32[4,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  const ProgramTraffic traffic = program_traffic(module);
  ASSERT_EQ(traffic.steps.size(), 1);
  const StepTraffic& dot = traffic.steps[0];
  EXPECT_EQ(dot.read, (Count{64 * 4 + 64 * 2, 64 * 4 + 64 * 2}));
  EXPECT_EQ(dot.used, (Count{32 * 4 + 16 * 2, 32 * 4 + 16 * 2}));
  EXPECT_EQ(dot.written, (Count{32, 32}));
  EXPECT_DOUBLE_EQ(dot.ratio().value().lower, (384.0 + 32) / (160 + 32));
  EXPECT_TRUE(dot.ratio()->exact());
  EXPECT_EQ(traffic.parameters, 160);
  EXPECT_EQ(traffic.results, 32);
}

TEST(CountReads, NamesTheOutputAndTheOperand) {
  const HloModule module = traffic_module(R"(ENTRY e {
  a = f32[64,32] parameter(0)
  b = f32[32,16] parameter(1)
  ROOT d = f32[64,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  const Instruction& dot = *module.entry->root;
  const ArrayReads second = count_reads(dot, {.operand = 1}).value();
  EXPECT_EQ(second.elements, 32 * 16);
  EXPECT_EQ(second.used, (Count{32 * 16, 32 * 16}));
  EXPECT_EQ(second.reads, (Count{64 * 32 * 16, 64 * 32 * 16}));
  EXPECT_EQ(count_reads(dot, {}).value().elements, 64 * 32);
  EXPECT_EQ(count_reads(dot, {.output = 1}).error().code, Code::index_out_of_range);
  EXPECT_EQ(count_reads(dot, {.operand = 2}).error().code, Code::index_out_of_range);
}

TEST(Traffic, OfAFusionCountsWhatItsMapsVisitTwice) {
  const HloModule module = traffic_module(R"(f {
  p = f32[12] parameter(0)
  r = f32[12] reverse(p), dimensions={0}
  s = f32[4] slice(p), slice={[0:4]}
  a = f32[12] add(p, r)
  ROOT t = (f32[12], f32[4]) tuple(a, s)
}
ENTRY e {
  p = f32[12] parameter(0)
  ROOT f = (f32[12], f32[4]) fusion(p), kind=kLoop, calls=f
})");
  const ProgramTraffic traffic = program_traffic(module);
  ASSERT_EQ(traffic.steps.size(), 1);
  EXPECT_EQ(traffic.steps[0].read, (Count{4 * 28, 4 * 28}));
  EXPECT_EQ(traffic.steps[0].used, (Count{48, 48}));
  EXPECT_EQ(traffic.steps[0].written, (Count{64, 64}));
}

TEST(Traffic, OfALoopCountsEachIteration) {
  const HloModule module = traffic_module(R"(body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[8] negate(x)
  ROOT t = (s32[], f32[8]) tuple(j, y)
}
test {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[8] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[8]) tuple(zero, x)
  w = (s32[], f32[8]) while(s), condition=test, body=body
  ROOT y = f32[8] get-tuple-element(w), index=1
})");
  const ProgramTraffic traffic = program_traffic(module);
  EXPECT_EQ(step_named(traffic, "y").runs, (Count{5, 5}));
  EXPECT_EQ(step_named(traffic, "c").runs, (Count{6, 6}));
  // Each run of the body moves 64 bytes (negate) and 12 (add); each run of the condition moves 9 (compare).
  EXPECT_EQ(traffic.moved, (Count{5 * (64 + 12) + 6 * 9, 5 * (64 + 12) + 6 * 9}));
}

TEST(Traffic, OfBranchesAndCallsIsABoundAndASum) {
  const HloModule module = traffic_module(R"(f {
  p = f32[8] parameter(0)
  ROOT n = f32[8] negate(p)
}
g {
  p = f32[8] parameter(0)
  ROOT a = f32[8] abs(p)
}
ENTRY e {
  c = pred[] parameter(0)
  x = f32[8] parameter(1)
  y = f32[8] call(x), to_apply=f
  z = f32[8] call(y), to_apply=f
  ROOT r = f32[8] conditional(c, z, z), true_computation=g, false_computation=f
})");
  const ProgramTraffic traffic = program_traffic(module);
  EXPECT_EQ(step_named(traffic, "n").runs.lower, 2);
  EXPECT_EQ(step_named(traffic, "n").runs.upper, 3);
  EXPECT_EQ(step_named(traffic, "a").runs.lower, 0);
  EXPECT_EQ(traffic.moved.lower, 128);
  EXPECT_EQ(traffic.moved.upper, 256);
}

// A fusion that updates its first operand, in a module with this header; `rest` is the rest of the entry.
StepTraffic update_step(const std::string& header, const std::string& rest) {
  const HloModule module = traffic_module(header + R"(
f {
  cache = f32[16,8] parameter(0)
  new = f32[1,8] parameter(1)
  i = s32[] parameter(2)
  zero = s32[] constant(0)
  n = f32[1,8] negate(new)
  ROOT u = f32[16,8] dynamic-update-slice(cache, n, i, zero)
}
ENTRY e {
  cache = f32[16,8] parameter(0)
  new = f32[1,8] parameter(1)
  i = s32[] parameter(2)
)" + rest + "}\n");
  return step_named(program_traffic(module), "u");
}

constexpr const char* kUpdate = "  u = f32[16,8] fusion(cache, new, i), kind=kLoop, calls=f\n";

TEST(Traffic, OfAnUpdateInPlaceIsThatOfTheUpdate) {
  const StepTraffic step = update_step("HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }",
                                       std::string(kUpdate) + "  ROOT t = (f32[16,8]) tuple(u)\n");
  EXPECT_TRUE(step.in_place) << step.reason;
  EXPECT_EQ(step.written, (Count{32, 32}));
  EXPECT_EQ(step.used, (Count{32 + 4, 32 + 4}));
  EXPECT_EQ(step.read, (Count{32 + 4, 32 + 4}));
}

TEST(Traffic, OfAnUpdateOfAnArrayThatLivesOnWritesACopy) {
  const std::string copied = std::string(kUpdate) + "  ROOT t = (f32[16,8], f32[16,8]) tuple(u, cache)\n";
  for (const char* header : {"HloModule m", "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }",
                             "HloModule m, buffer_donor={ (0, {}) }"}) {
    const StepTraffic step = update_step(header, copied);
    EXPECT_FALSE(step.in_place);
    EXPECT_EQ(step.written, (Count{512, 512}));
    EXPECT_EQ(step.used, (Count{480 + 32 + 4, 480 + 32 + 4}));
  }
}

TEST(Traffic, OfAnUpdateOfAParameterAsksForADonation) {
  const std::string returned = std::string(kUpdate) + "  ROOT t = (f32[16,8]) tuple(u)\n";
  EXPECT_EQ(update_step("HloModule m", returned).written, (Count{512, 512}));
  EXPECT_TRUE(update_step("HloModule m, buffer_donor={ (0, {}) }", returned).in_place);
  // Without a header, nothing is known about the caller.
  const Count unknown = update_step("", returned).written;
  EXPECT_EQ(unknown.lower, 32);
  EXPECT_EQ(unknown.upper, 512);
  EXPECT_NE(unknown.reason.find("perhaps in place"), std::string::npos);
}

// Regression: an alias of an output element that does not exist was believed, or read out of bounds.
TEST(Traffic, BelievesAliasesOfOutputsThatExist) {
  const auto in_place = [](std::string_view output) {
    const std::string aliased = fmt::format(
        "  u = f32[16,8] fusion(cache, new, i), kind=kLoop, calls=f, "
        "output_to_operand_aliasing={{{{{}}}: (0, {{}})}}\n"
        "  ROOT t = (f32[16,8], f32[16,8]) tuple(u, cache)\n",
        output);
    return update_step("HloModule m", aliased).in_place;
  };
  EXPECT_TRUE(in_place(""));
  for (const std::string_view output : {"0", "1", "4000000000", "-1000000000000"}) {
    EXPECT_FALSE(in_place(output)) << output;
  }
}

TEST(Traffic, CountsAnArrayOnceForAllItsNames) {
  const HloModule module = traffic_module(R"(HloModule m
ENTRY e {
  x = f32[32,32]{1,0} parameter(0)
  b = f32[32,32]{1,0} bitcast(x)
  t = (f32[32,32]{1,0}, f32[32,32]{1,0}) tuple(x, b)
  g = f32[32,32]{1,0} get-tuple-element(t), index=1
  flat = f32[1024]{0} bitcast(g)
  y = f32[32,32]{1,0} multiply(x, g)
  c = f32[64,32]{1,0} concatenate(x, b), dimensions={0}
  d = f32[32,32]{1,0} dot(x, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f32[32,32]{1,0} custom-call(flat, x), custom_call_target="mystery"
  ROOT r = (f32[32,32]{1,0}, f32[64,32]{1,0}, f32[32,32]{1,0}, f32[32,32]{1,0}) tuple(y, c, d, h)
})");
  const ProgramTraffic traffic = program_traffic(module);
  for (const char* name : {"y", "c", "d"})
    EXPECT_EQ(step_named(traffic, name).used, (Count{4096, 4096})) << name;
  EXPECT_EQ(step_named(traffic, "y").read, (Count{4096, 4096}));
  EXPECT_EQ(step_named(traffic, "c").read, (Count{8192, 8192}));
  EXPECT_EQ(step_named(traffic, "d").read, (Count{2 * 131072, 2 * 131072}));
  EXPECT_EQ(step_named(traffic, "h").used.upper, 4096);
}

TEST(Traffic, OfOneParameterInTwoPlacesOfACall) {
  const std::string function = R"(HloModule m
f {
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  ROOT s = f32[8] add(a, b)
}
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
)";
  const HloModule once = traffic_module(function + "  ROOT c = f32[8] call(x, x), to_apply=f\n}\n");
  EXPECT_EQ(step_named(program_traffic(once), "s").used, (Count{32, 32}));
  const HloModule mixed = traffic_module(function +
                                         "  c = f32[8] call(x, x), to_apply=f\n"
                                         "  ROOT d = f32[8] call(c, y), to_apply=f\n}\n");
  const Count used = step_named(program_traffic(mixed), "s").used;
  EXPECT_EQ(used.lower, 32);
  EXPECT_EQ(used.upper, 64);
}

TEST(Traffic, OfWhatMayBeOneArrayIsABound) {
  const HloModule module = traffic_module(R"(pass { ROOT a = f32[8] parameter(0) }
nested {
  p = f32[8] parameter(0)
  q = pred[] constant(true)
  ROOT c = f32[8] conditional(q, p, p), true_computation=pass, false_computation=pass
}
new { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }
pair {
  p = f32[8] parameter(0)
  n = f32[8] negate(p)
  ROOT t = (f32[8], f32[8]) tuple(p, n)
}
body {
  p = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v0 = f32[8] get-tuple-element(p), index=1
  v1 = f32[8] get-tuple-element(p), index=2
  v2 = f32[8] get-tuple-element(p), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  q = pred[] compare(i, one), direction=LT
  c = f32[8] conditional(q, v1, v0), true_computation=pass, false_computation=pass
  fresh = f32[8] conditional(q, v2, v2), true_computation=new, false_computation=new
  chosen = f32[8] multiply(v0, v1)
  made = f32[8] multiply(v1, v2)
  ROOT r = (s32[], f32[8], f32[8], f32[8]) tuple(j, c, v1, fresh)
}
test {
  p = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  q = pred[] parameter(2)
  in_two = f32[8] conditional(q, x, y), true_computation=nested, false_computation=nested
  called = f32[8] call(x), to_apply=nested
  fresh_call = f32[8] call(x), to_apply=new
  start = ((f32[8]), (f32[8], f32[8]), u32[]) async-start(x), calls=pair
  done = (f32[8], f32[8]) async-done(start)
  done0 = f32[8] get-tuple-element(done), index=0
  done1 = f32[8] get-tuple-element(done), index=1
  zero = s32[] constant(0)
  t = (s32[], f32[8], f32[8], f32[8]) tuple(zero, x, y, x)
  w = (s32[], f32[8], f32[8], f32[8]) while(t), condition=test, body=body
  w0 = f32[8] get-tuple-element(w), index=1
  w1 = f32[8] get-tuple-element(w), index=2
  w2 = f32[8] get-tuple-element(w), index=3
  of_nested = f32[8] add(in_two, y)
  of_call = f32[8] add(called, x)
  of_async = f32[8] add(done0, x)
  of_slots = f32[8] add(w0, w1)
  of_slot = f32[8] add(w0, y)
  two_new = f32[8] add(fresh_call, x)
  two_done = f32[8] add(done1, x)
  two_slots = f32[8] add(w2, w1)
  ROOT all = (f32[8], f32[8], f32[8], f32[8], f32[8], f32[8], f32[8], f32[8])
    tuple(of_nested, of_call, of_async, of_slots, of_slot, two_new, two_done, two_slots)
})");
  const ProgramTraffic traffic = program_traffic(module);
  for (const char* name : {"of_nested", "of_call", "of_async", "of_slots", "of_slot", "chosen"}) {
    EXPECT_EQ(step_named(traffic, name).used.lower, 32) << name;
    EXPECT_EQ(step_named(traffic, name).used.upper, 64) << name;
  }
  for (const char* name : {"two_new", "two_done", "two_slots", "made"})
    EXPECT_EQ(step_named(traffic, name).used, (Count{64, 64})) << name;
}

// The body gives each slot the array of the next one: the first slot of 100 ends with the last array, after
// more states than are followed.
TEST(Traffic, OfALoopWithMoreStatesThanAreFollowedIsABound) {
  constexpr int kSlots = 100;
  std::string state = "(s32[]";
  std::string slots;
  std::string next = "j";
  std::string arrays;
  std::string start = "zero";
  for (int k = 0; k < kSlots; ++k) {
    state += ", f32[8]";
    slots += fmt::format("  v{} = f32[8] get-tuple-element(p), index={}\n", k, k + 1);
    next += fmt::format(", v{}", (k + 1) % kSlots);
    arrays += fmt::format("  x{0} = f32[8] parameter({0})\n", k);
    start += fmt::format(", x{}", k);
  }
  state += ")";
  const HloModule module = traffic_module(fmt::format(R"(body {{
  p = {0} parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
{1}  ROOT r = {0} tuple({2})
}}
test {{
  p = {0} parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(99)
  ROOT c = pred[] compare(i, n), direction=LT
}}
ENTRY e {{
{3}  zero = s32[] constant(0)
  t = {0} tuple({4})
  w = {0} while(t), condition=test, body=body
  w0 = f32[8] get-tuple-element(w), index=1
  ROOT sum = f32[8] add(w0, x99)
}})",
                                                      state, slots, next, arrays, start));
  EXPECT_EQ(step_named(program_traffic(module), "sum").used.lower, 32);
}

// Ten conditionals in a row, each with four arrays to choose from: 4^10 ways to each of two arrays.
TEST(Traffic, OfChoicesOfChoicesEnds) {
  std::string text = "pass { ROOT a = f32[8] parameter(0) }\nENTRY e {\n  q = s32[] parameter(0)\n";
  for (int k = 0; k < 8; ++k)
    text += fmt::format("  {}0_{} = f32[8] parameter({})\n", k < 4 ? 'a' : 'b', k % 4, k + 1);
  for (int level = 1; level <= 10; ++level) {
    for (int k = 0; k < 8; ++k) {
      text += fmt::format(
          "  {0}{1}_{2} = f32[8] conditional(q, {0}{3}_0, {0}{3}_1, {0}{3}_2, {0}{3}_3), "
          "branch_computations={{pass, pass, pass, pass}}\n",
          k < 4 ? 'a' : 'b', level, k % 4, level - 1);
    }
  }
  const HloModule module = traffic_module(text + "  ROOT sum = f32[8] add(a10_0, b10_0)\n}\n");
  EXPECT_EQ(step_named(program_traffic(module), "sum").used, (Count{64, 64}));
}

// A start is the step, whatever it combines elements with, and writes all results.
TEST(Traffic, OfStartedCollectivesIsThatOfTheCollectives) {
  const HloModule module = traffic_module(R"(HloModule m, replica_count=2

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  zero = f32[] constant(0)
  scattered = f32[4] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=sum
  scatter = ((f32[8]), f32[4]) reduce-scatter-start(x), replica_groups={{0,1}}, dimensions={0}, to_apply=sum
  scatter_end = f32[4] reduce-scatter-done(scatter)
  reduced = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  reduce = ((f32[8], f32[]), f32[], u32[]) reduce-start(x, zero), dimensions={0}, to_apply=sum
  reduce_end = f32[] reduce-done(reduce)
  gather = ((f32[8], f32[8]), (f32[16], f32[16])) all-gather-start(x, y), replica_groups={{0,1}}, dimensions={0}
  gather_end = (f32[16], f32[16]) all-gather-done(gather)
  permute = ((f32[8], f32[8]), (f32[8], f32[8]), u32[], u32[]) collective-permute-start(x, y),
    source_target_pairs={{0,1},{1,0}}
  permute_end = (f32[8], f32[8]) collective-permute-done(permute)
  ROOT all = (f32[4], f32[4], f32[], f32[]) tuple(scattered, scatter_end, reduced, reduce_end)
})");
  const ProgramTraffic traffic = program_traffic(module);
  EXPECT_EQ(traffic.steps.size(), 6U);  // none of `sum`
  for (const auto& [start, plain] : {std::pair("scatter", "scattered"), std::pair("reduce", "reduced")}) {
    EXPECT_EQ(step_named(traffic, start).used, step_named(traffic, plain).used) << start;
    EXPECT_EQ(step_named(traffic, start).written, step_named(traffic, plain).written) << start;
  }
  EXPECT_EQ(step_named(traffic, "gather").written, (Count{128, 128}));
  EXPECT_EQ(step_named(traffic, "permute").used, (Count{64, 64}));
  EXPECT_EQ(step_named(traffic, "permute").written, (Count{64, 64}));
}

TEST(Traffic, OfAStartedFusionIsThatOfOneStep) {
  const HloModule module = traffic_module(R"(sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
f {
  p = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  row = f32[4] reduce(p, zero), dimensions={1}, to_apply=sum
  rows = f32[4,8] broadcast(row), dimensions={0}
  ROOT d = f32[4,8] divide(p, rows)
}
ENTRY e {
  x = f32[4,8] parameter(0)
  start = ((f32[4,8]), f32[4,8], u32[]) fusion-start(x), kind=kLoop, calls=f
  ROOT end = f32[4,8] fusion-done(start)
})");
  const ProgramTraffic traffic = program_traffic(module);
  ASSERT_EQ(traffic.steps.size(), 1U);
  EXPECT_EQ(traffic.minimum, (Count{256, 256}));
  EXPECT_EQ(traffic.steps[0].read.lower, 128);
}

TEST(Traffic, OfAFusionComputesARowOnce) {
  const HloModule module = traffic_module(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
f {
  x = f32[1024,1024] parameter(0)
  zero = f32[] constant(0)
  s = f32[1024] reduce(x, zero), dimensions={1}, to_apply=sum
  b = f32[1024,1024] broadcast(s), dimensions={0}
  ROOT d = f32[1024,1024] divide(x, b)
}
ENTRY e {
  x = f32[1024,1024] parameter(0)
  ROOT n = f32[1024,1024] fusion(x), kind=kLoop, calls=f
})");
  const StepTraffic step = program_traffic(module).steps.at(0);
  constexpr Index kArray = Index{4} << 20;
  EXPECT_EQ(step.used, (Count{kArray, kArray}));
  EXPECT_EQ(step.read, (Count{2 * kArray, 2 * kArray}));
  EXPECT_EQ(step.inlined, (Count{1025 * kArray, 1025 * kArray}));
  EXPECT_EQ(step.repeated, (Count{0, 0}));
}

TEST(Traffic, OfStaticSlicesOfOneOperandIsExact) {
  const HloModule module = traffic_module(R"(HloModule m
f {
  x = f32[12] parameter(0)
  a = f32[5] slice(x), slice={[0:5]}
  b = f32[5] slice(x), slice={[2:7]}
  c = f32[5] slice(x), slice={[0:10:2]}
  s = f32[5] add(a, b)
  ROOT t = f32[5] add(s, c)
}
ENTRY e {
  x = f32[12] parameter(0)
  ROOT n = f32[5] fusion(x), kind=kLoop, calls=f
})");
  const StepTraffic step = program_traffic(module).steps.at(0);
  EXPECT_EQ(step.used, (Count{32, 32}));
  EXPECT_EQ(step.operands.at(0).reads.reachable, (Count{8, 8}));
  EXPECT_EQ(step.read, (Count{60, 60}));
}

TEST(Traffic, OfUnknownInstructionsIsABound) {
  const HloModule module = traffic_module(R"(ENTRY e {
  x = f32[8] parameter(0)
  ROOT y = f32[4] custom-call(x), custom_call_target="mystery"
})");
  const ProgramTraffic traffic = program_traffic(module);
  EXPECT_EQ(traffic.unknown, 1);
  EXPECT_EQ(traffic.steps[0].read.upper, std::nullopt);
  EXPECT_EQ(traffic.steps[0].used.lower, 0);
  EXPECT_EQ(traffic.steps[0].used.upper, 32);
  EXPECT_FALSE(traffic.steps[0].ratio());
  EXPECT_FALSE(traffic.steps[0].reason.empty());
}

TEST(Traffic, OfAnUnknownOperandHasNoBound) {
  const ParsedModules parsed = parse_hlo(R"(ENTRY e {
  x = f32[8] parameter(0)
  ROOT y = f32[8] add(x, nothing)
})");
  ASSERT_EQ(parsed.modules.size(), 1);
  const ProgramTraffic traffic = program_traffic(parsed.modules.front());
  ASSERT_EQ(traffic.steps.size(), 1);
  EXPECT_EQ(traffic.steps[0].used.lower, 0);
  EXPECT_EQ(traffic.steps[0].used.upper, std::nullopt);
  EXPECT_EQ(traffic.steps[0].written.upper, std::nullopt);
}

// The branch that is not known may be the one that runs.
TEST(Traffic, OfTheKnownBranchOfAConditionalIsABound) {
  const ParsedModules parsed = parse_hlo(R"(a { x = f32[64] parameter(0) ROOT n = f32[64] negate(x) }
ENTRY e {
  p = pred[] parameter(0)
  v = f32[64] parameter(1)
  ROOT c = f32[64] conditional(p, v, v), true_computation=a, false_computation=gone
})");
  ASSERT_EQ(parsed.modules.size(), 1);
  const ProgramTraffic traffic = program_traffic(parsed.modules.front());
  EXPECT_EQ(traffic.minimum.lower, 0);
  EXPECT_EQ(traffic.moved.lower, 0);
  for (const StepTraffic& step : traffic.steps) {
    if (step.instruction->name == "n") {
      EXPECT_EQ(step.runs.lower, 0);
    }
  }
}

TEST(Traffic, LeavesOutWhatMovesNothing) {
  const HloModule module = traffic_module(R"(ENTRY e {
  x = f32[4,8]{1,0} parameter(0)
  r = f32[32]{0} reshape(x)
  b = f32[8,4]{1,0} bitcast(r)
  t = (f32[8,4]{1,0}) tuple(b)
  g = f32[8,4]{1,0} get-tuple-element(t), index=0
  ROOT c = f32[8,4]{0,1} copy(g)
})");
  const ProgramTraffic traffic = program_traffic(module);
  ASSERT_EQ(traffic.steps.size(), 1);
  EXPECT_EQ(traffic.steps[0].instruction->name, "c");
}

// Fusions that add up random slices of one array; the expected reads follow from the definition.
TEST(Traffic, OfRandomSlicesIsThatOfTheirElements) {
  constexpr unsigned kSeed = 20261124;
  for (unsigned i = 0; i < 100 && !HasFailure(); ++i) {
    std::mt19937 random(kSeed + i);
    const auto small = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    const Index size = small(1, 4);
    const Index extent = 20;
    std::string text = fmt::format("f {{\n  p = s16[{}] parameter(0)\n", extent);
    std::set<Index> used;
    std::set<std::pair<Index, Index>> slices;
    const Index count = small(1, 5);
    for (Index k = 0; k < count; ++k) {
      const Index stride = small(1, 4);
      const Index start = small(0, extent - 1 - (size - 1) * stride);
      text += fmt::format("  v{} = s16[{}] slice(p), slice={{[{}:{}:{}]}}\n", k, size, start,
                          start + (size - 1) * stride + 1, stride);
      for (Index e = 0; e < size; ++e) used.insert(start + e * stride);
      slices.emplace(start, size == 1 ? 1 : stride);
      text += k == 0 ? fmt::format("  a0 = s16[{}] negate(v0)\n", size)
                     : fmt::format("  a{} = s16[{}] add(a{}, v{})\n", k, size, k - 1, k);
    }
    text += fmt::format("  ROOT r = s16[{}] abs(a{})\n}}\n", size, count - 1);
    text += fmt::format(
        "ENTRY e {{\n  p = s16[{}] parameter(0)\n  ROOT f = s16[{}] fusion(p), kind=kLoop, calls=f\n}}\n",
        extent, size);
    const HloModule module = traffic_module(text);
    const StepTraffic step = program_traffic(module).steps.at(0);
    const Index reads = 2 * size * std::ssize(slices);
    EXPECT_EQ(step.used, (Count{2 * std::ssize(used), 2 * std::ssize(used)})) << "seed " << kSeed + i << "\n"
                                                                              << text;
    EXPECT_EQ(step.read, (Count{reads, reads})) << "seed " << kSeed + i << "\n" << text;
    EXPECT_EQ(step.written, (Count{2 * size, 2 * size}));
  }
}

}  // namespace
}  // namespace tessera
