// SPDX-License-Identifier: Apache-2.0
/// \file
/// Programs with one error each: an undefined name, or a parameter number out of range.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "laws/hlo_cases.h"
#include "laws/hlo_laws.h"
#include "tessera/hlo/analyze.h"

namespace tessera::laws::hlo_broken_test {
namespace {

void check_indexes(const ParsedModules& parsed, const std::string& text) {
  EXPECT_EQ(check_parsed(parsed), "");
  for (const HloModule& module : parsed.modules) {
    for (const auto direction : {IndexingDirection::output_to_input, IndexingDirection::input_to_output}) {
      EXPECT_EQ(check_indexed(module, direction), "") << text;
    }
  }
}

void check_survives(const std::string& text) {
  const ParsedModules parsed = parse_hlo(text);
  EXPECT_FALSE(parsed.ok()) << text;
  check_indexes(parsed, text);
}

/// Misspells each operand of each instruction, and gives each parameter numbers that are too large. Makes one
/// error at a time.
std::size_t check_each_fault(const std::string& text) {
  static const std::regex uses(R"([(,] ?%?([A-Za-z_][\w.-]*)(?=[,)]))");
  static const std::regex numbers(R"(parameter\((\d+)\))");
  std::size_t faults = 0;
  // Regression: a dot with three operands was accepted, and its rule looked for a third side.
  for (std::sregex_iterator it(text.begin(), text.end(), uses), end; it != end; ++it) {
    std::string longer = text;
    longer.insert(static_cast<std::size_t>(it->position(1)), it->str(1) + ", ");
    check_indexes(parse_hlo(longer), longer);
    ++faults;
  }
  const auto mutate = [&](const std::regex& what, const std::vector<std::string>& replacements) {
    for (std::sregex_iterator it(text.begin(), text.end(), what), end; it != end; ++it) {
      for (const std::string& replacement : replacements) {
        std::string broken = text;
        broken.replace(static_cast<std::size_t>(it->position(1)), static_cast<std::size_t>(it->length(1)),
                       replacement);
        check_survives(broken);
        ++faults;
      }
    }
  };
  mutate(uses, {"nosuch"});
  mutate(numbers, {"70", "4000000"});
  return faults;
}

// Regression: each of these errors ended the program: a conversion of a missing start index, a broadcast of a
// missing value in a scan, and parameter 4000000 of a loop's body.
TEST(BrokenHlo, OneFaultAtATimeIsReportedAndTheRestAnalyzed) {
  std::size_t faults = 0;
  HloCases cases(20261122);
  for (const auto make : {&HloCases::elementwise,
                          &HloCases::reduce,
                          &HloCases::variadic_reduce,
                          &HloCases::reduce_window,
                          &HloCases::select_and_scatter,
                          &HloCases::convolution,
                          &HloCases::dot,
                          &HloCases::dynamic_slice,
                          &HloCases::dynamic_update_slice,
                          &HloCases::known_starts,
                          &HloCases::gather,
                          &HloCases::known_gather,
                          &HloCases::scatter,
                          &HloCases::known_scatter,
                          &HloCases::sort,
                          &HloCases::topk,
                          &HloCases::scan,
                          &HloCases::fft,
                          &HloCases::triangular_solve,
                          &HloCases::batch_norm,
                          &HloCases::tuples,
                          &HloCases::sizes,
                          &HloCases::pad,
                          &HloCases::concatenate}) {
    for (int i = 0; i < 3; ++i) faults += check_each_fault((cases.*make)());
  }
  faults += check_each_fault(R"(cond {
  s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT p = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  y = f32[3] negate(x)
  ROOT r = (s32[], f32[3]) tuple(i, y)
}
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
step {
  x = f32[3] parameter(0)
  c = f32[3] parameter(1)
  k = f32[] constant(1)
  b = f32[3] broadcast(k), dimensions={}
  s = f32[3] add(x, b)
  t = f32[3] add(s, c)
  ROOT r = (f32[3], f32[3]) tuple(t, t)
}
slice {
  x = f32[400] parameter(0)
  i = s32[] parameter(1)
  u = u32[] convert(i)
  k = u32[] constant(2)
  j = u32[] multiply(u, k)
  ROOT d = f32[3] dynamic-slice(x, j), dynamic_slice_sizes={3}
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[3] parameter(1)
  l = f32[400] parameter(2)
  m = f32[3,5] parameter(3)
  t = (s32[], f32[3]) tuple(i, x)
  w = (s32[], f32[3]) while(t), condition=cond, body=body
  v = f32[3] get-tuple-element(w), index=1
  f = f32[3] fusion(l, i), kind=kLoop, calls=slice
  g = f32[3] call(l, i), to_apply=slice
  q = (f32[3,5], f32[3]) scan(m, f), dimensions={1}, num_carries=1, to_apply=step
  z = f32[] constant(0)
  r = f32[] reduce(v, z), dimensions={0}, to_apply=add
  ROOT o = (f32[], f32[3], f32[3]) tuple(r, f, g)
}
)");
  EXPECT_GT(faults, 500U);
}

}  // namespace
}  // namespace tessera::laws::hlo_broken_test
