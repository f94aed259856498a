// SPDX-License-Identifier: Apache-2.0
// Compares maps through counted loops with a run of the program, iteration by iteration.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "laws/loop_laws.h"

namespace tessera::laws {
namespace {

/// A loop over (i, a: f32[6,2], b: f32[6,2], c: f32[2], t: f32[6,2]) with this body, counter and condition.
struct Loop {
  std::string first = "0";
  std::string next = "add(i, one)";
  std::string limit = "6";
  std::string direction = "LT";
  std::string body;
  std::string result = "tuple(next, a, b, c, t)";
};

std::string loop_text(const Loop& loop) {
  return fmt::format(R"(
sum {{
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}}
slice_at {{
  x = f32[6,2] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  negative = pred[] compare(i, zero), direction=LT
  six = s32[] constant(6)
  wrapped = s32[] add(i, six)
  at = s32[] select(negative, wrapped, i)
  one = f32[1,2] dynamic-slice(x, at, zero), dynamic_slice_sizes={{1,2}}
  ROOT r = f32[2] reshape(one)
}}
write_at {{
  x = f32[6,2] parameter(0)
  u = f32[2] parameter(1)
  i = s32[] parameter(2)
  one = f32[1,2] reshape(u)
  zero = s32[] constant(0)
  ROOT r = f32[6,2] dynamic-update-slice(x, one, i, zero)
}}
body {{
  state = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  a = f32[6,2] get-tuple-element(state), index=1
  b = f32[6,2] get-tuple-element(state), index=2
  c = f32[2] get-tuple-element(state), index=3
  t = f32[6,2] get-tuple-element(state), index=4
  zero = s32[] constant(0)
  one = s32[] constant(1)
  two = s32[] constant(2)
  five = s32[] constant(5)
  zerof = f32[] constant(0)
  next = s32[] {}
{}
  ROOT r = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2]) {}
}}
condition {{
  state = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  limit = s32[] constant({})
  ROOT r = pred[] compare(i, limit), direction={}
}}
ENTRY e {{
  a = f32[6,2] parameter(0)
  b = f32[6,2] parameter(1)
  c = f32[2] parameter(2)
  t = f32[6,2] parameter(3)
  first = s32[] constant({})
  start = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2]) tuple(first, a, b, c, t)
  loop = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2]) while(start), condition=condition, body=body
  ra = f32[6,2] get-tuple-element(loop), index=1
  rb = f32[6,2] get-tuple-element(loop), index=2
  rc = f32[2] get-tuple-element(loop), index=3
  ROOT r = (f32[6,2], f32[6,2], f32[2]) tuple(ra, rb, rc)
}})",
                     loop.next, loop.body, loop.result, loop.limit, loop.direction, loop.first);
}

const ParameterValues kNoValues(4);

constexpr const char* kScan = R"(
  x = f32[2] fusion(a, i), kind=kLoop, calls=slice_at
  w = f32[2] fusion(t, i), kind=kLoop, calls=slice_at
  y = f32[2] multiply(x, w)
  nb = f32[6,2] call(b, y, i), to_apply=write_at
  nc = f32[2] add(c, x))";

LoopCoverage check_loop(const Loop& loop) {
  LoopCoverage coverage;
  check_loop_maps_are_the_dependence(loop_text(loop), kNoValues, coverage);
  EXPECT_EQ(coverage.programs, 1U);
  return coverage;
}

TEST(CountedLoopTest, AScanIsExactInBothDirections) {
  const LoopCoverage coverage = check_loop({.body = kScan, .result = "tuple(next, a, nb, nc, t)"});
  EXPECT_EQ(coverage.exact, 24U);  // 3 results, 4 parameters, 2 directions
}

TEST(CountedLoopTest, AnyWayToCountIsExact) {
  struct Count {
    const char* first;
    const char* next;
    const char* limit;
    const char* direction;
  };
  for (const Count& c : {Count{"0", "add(i, one)", "0", "LT"},
                         {"0", "add(i, one)", "1", "LT"},
                         {"2", "add(i, one)", "5", "LT"},
                         {"0", "add(i, two)", "6", "LT"},
                         {"1", "add(two, i)", "5", "LE"},
                         {"5", "subtract(i, one)", "0", "GE"},
                         {"5", "subtract(i, two)", "1", "NE"},
                         {"4", "add(i, one)", "4", "EQ"},
                         {"0", "add(i, one)", "3", "NE"},
                         {"5", "subtract(i, two)", "-1", "GT"}}) {
    const LoopCoverage coverage =
        check_loop({c.first, c.next, c.limit, c.direction, kScan, "tuple(next, a, nb, nc, t)"});
    EXPECT_EQ(coverage.exact, 24U) << c.first << " " << c.next << " " << c.direction << " " << c.limit;
  }
}

TEST(CountedLoopTest, AStartIsClampedAndASliceMayLeadTheCounter) {
  // Iterations 5 and 6 update the same row, because the start is clamped. The maps do not tell which update
  // remains.
  const LoopCoverage beyond =
      check_loop({.limit = "8", .body = kScan, .result = "tuple(next, a, nb, nc, t)"});
  EXPECT_EQ(beyond.unknown, 0U);
  EXPECT_GT(beyond.superset, 0U);
  // The body reads after the counter's increment, and writes before it, from the other end.
  const LoopCoverage later = check_loop({.body = R"(
  x = f32[2] fusion(a, next), kind=kLoop, calls=slice_at
  back = s32[] subtract(five, i)
  nb = f32[6,2] fusion(b, x, back), kind=kLoop, calls=write_at)",
                                         .result = "tuple(next, a, nb, c, t)"});
  EXPECT_EQ(later.superset + later.unknown, 0U);
}

TEST(CountedLoopTest, WhatTheBodyAlsoChangesIsNoConstant) {
  // The sliced array is also written: row i + 1 is read after iteration i wrote it.
  const LoopCoverage written = check_loop({.limit = "4",
                                           .body = R"(
  x = f32[2] fusion(a, i), kind=kLoop, calls=slice_at
  na = f32[6,2] call(a, x, next), to_apply=write_at)",
                                           .result = "tuple(next, na, b, c, t)"});
  EXPECT_EQ(written.unknown, 0U);
  // The loop swaps arrays.
  const LoopCoverage turned = check_loop({.body = R"(
  x = f32[2] fusion(a, i), kind=kLoop, calls=slice_at
  nc = f32[2] add(c, x))",
                                          .result = "tuple(next, b, a, nc, t)"});
  EXPECT_EQ(turned.unknown, 0U);
}

TEST(CountedLoopTest, ARecurrenceThatMixesIsFollowedExactlyWhereItRepeats) {
  // If there is at least one iteration, each element of c needs all of the previous c and a row of a.
  const LoopCoverage mixed = check_loop({.body = R"(
  x = f32[2] fusion(a, i), kind=kLoop, calls=slice_at
  all = f32[] reduce(c, zerof), dimensions={0}, to_apply=sum
  alls = f32[2] broadcast(all), dimensions={}
  nc = f32[2] add(alls, x)
  nb = f32[6,2] call(b, c, i), to_apply=write_at)",
                                         .result = "tuple(next, a, nb, nc, t)"});
  EXPECT_EQ(mixed.superset + mixed.unknown, 0U);
  // The shift of b does not repeat: each iteration moves b by one row.
  const LoopCoverage shifted = check_loop({.limit = "3",
                                           .body = R"(
  rest = f32[5,2] dynamic-slice(b, zero, zero), dynamic_slice_sizes={5,2}
  nb = f32[6,2] dynamic-update-slice(b, rest, one, zero))",
                                           .result = "tuple(next, a, nb, c, t)"});
  EXPECT_EQ(shifted.unknown, 0U);
}

TEST(CountedLoopTest, ALoopInALoopIsFollowed) {
  const std::string text = R"(
inner_body {
  s = (s32[], f32[2], f32[3,4,2], s32[]) parameter(0)
  j = s32[] get-tuple-element(s), index=0
  c = f32[2] get-tuple-element(s), index=1
  x = f32[3,4,2] get-tuple-element(s), index=2
  i = s32[] get-tuple-element(s), index=3
  zero = s32[] constant(0)
  one = s32[] constant(1)
  row = f32[1,1,2] dynamic-slice(x, i, j, zero), dynamic_slice_sizes={1,1,2}
  flat = f32[2] reshape(row)
  nc = f32[2] add(c, flat)
  next = s32[] add(j, one)
  ROOT r = (s32[], f32[2], f32[3,4,2], s32[]) tuple(next, nc, x, i)
}
inner_condition {
  s = (s32[], f32[2], f32[3,4,2], s32[]) parameter(0)
  j = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT r = pred[] compare(j, three), direction=LT
}
body {
  s = (s32[], f32[3,4,2], f32[3,2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3,4,2] get-tuple-element(s), index=1
  y = f32[3,2] get-tuple-element(s), index=2
  c = f32[2] get-tuple-element(s), index=3
  one = s32[] constant(1)
  start = (s32[], f32[2], f32[3,4,2], s32[]) tuple(one, c, x, i)
  inner = (s32[], f32[2], f32[3,4,2], s32[]) while(start), condition=inner_condition, body=inner_body
  total = f32[2] get-tuple-element(inner), index=1
  row = f32[1,2] reshape(total)
  zero = s32[] constant(0)
  ny = f32[3,2] dynamic-update-slice(y, row, i, zero)
  next = s32[] add(i, one)
  ROOT r = (s32[], f32[3,4,2], f32[3,2], f32[2]) tuple(next, x, ny, c)
}
condition {
  s = (s32[], f32[3,4,2], f32[3,2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  three = s32[] constant(3)
  ROOT r = pred[] compare(i, three), direction=LT
}
ENTRY e {
  x = f32[3,4,2] parameter(0)
  y = f32[3,2] parameter(1)
  c = f32[2] parameter(2)
  zero = s32[] constant(0)
  start = (s32[], f32[3,4,2], f32[3,2], f32[2]) tuple(zero, x, y, c)
  loop = (s32[], f32[3,4,2], f32[3,2], f32[2]) while(start), condition=condition, body=body
  ROOT r = f32[3,2] get-tuple-element(loop), index=2
})";
  LoopCoverage coverage;
  check_loop_maps_are_the_dependence(text, ParameterValues(3), coverage);
  EXPECT_EQ(coverage.exact, 6U);
}

// Arrays that depend on each other alternate: after an odd number of iterations b depends on b, after an even
// number also on c. Regression: one relation covered both cases and was marked exact, although part of it was
// a superset.
TEST(CountedLoopTest, ARecurrenceOfASupersetIsASuperset) {
  const LoopCoverage coverage = check_loop({.limit = "5",
                                            .body = R"(
  all = f32[] reduce(c, zerof), dimensions={0}, to_apply=sum
  row = f32[1,2] broadcast(all), dimensions={}
  twice = f32[6,2] add(b, b)
  nb = f32[6,2] dynamic-update-slice(twice, row, zero, zero)
  nc = f32[2] reduce(twice, zerof), dimensions={0}, to_apply=sum)",
                                            .result = "tuple(next, twice, nb, nc, t)"});
  EXPECT_GT(coverage.superset, 0U);
}

}  // namespace
}  // namespace tessera::laws
