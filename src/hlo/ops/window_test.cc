// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "laws/hlo_functions.h"
#include "laws/map_examples.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {
namespace {

// Not a sum of strings: at -O1 GCC 12 warns of a read beyond a string's end.
std::string with_add(std::string_view entry) { return fmt::format("{}{}", kAdd, entry); }

TEST(ReduceMaps, SweepReducedDimensionsInOperandOrder) {
  const std::string hlo = with_add(
      "ENTRY e {\n p0 = f32[2,4,8,16] parameter(0)\n p1 = f32[] parameter(1)\n"
      " ROOT r = f32[4,8] reduce(p0, p1), dimensions={3,0}, to_apply=f\n}");
  check_example(
      {.hlo = hlo,
       .maps = {"(d0, d1)[s0, s1] -> (s0, d0, d1, s1), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 1], "
                "s1 in [0, 15]"}});
  check_example({.hlo = hlo,
                 .direction = kToOutput,
                 .maps = {"(d0, d1, d2, d3) -> (d1, d2), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 7], "
                          "d3 in [0, 15]"}});
  check_example({.hlo = hlo,
                 .direction = kToOutput,
                 .operand = 1,
                 .maps = {"()[s0, s1] -> (s0, s1), domain: s0 in [0, 3], s1 in [0, 7]"}});
}

// The function never runs on an empty input, so a result reads only its own initial value. Regression: the
// others were reported as exact, too.
TEST(ReduceMaps, OfNothingGiveTheOwnInitialValue) {
  constexpr std::string_view kMixing = R"(f {
  a0 = f32[] parameter(0)
  a1 = f32[] parameter(1)
  b0 = f32[] parameter(2)
  b1 = f32[] parameter(3)
  x = f32[] add(a0, b0)
  y = f32[] add(x, a1)
  z = f32[] add(a1, b1)
  w = f32[] add(z, a0)
  ROOT t = (f32[], f32[]) tuple(y, w)
}
)";
  const auto exactness_of = [&](std::string_view inputs, std::string_view root, std::size_t operand) {
    const ParsedModules parsed =
        parse_hlo(fmt::format("{}ENTRY e {{\n  p = f32[{}] parameter(0)\n  q = f32[{}] parameter(1)\n"
                              "  a = f32[] parameter(2)\n  b = f32[] parameter(3)\n  ROOT r = {}\n}}",
                              kMixing, inputs, inputs, root));
    EXPECT_TRUE(parsed.ok());
    const auto set = output_to_input(*parsed.modules.at(0).entry->root, {.operand = operand}).value();
    return set.empty() ? std::string("none") : set[0].exactness == Exactness::exact ? "exact" : "superset";
  };
  constexpr std::string_view kReduce = "(f32[], f32[]) reduce(p, q, a, b), dimensions={0}, to_apply=f";
  EXPECT_EQ(exactness_of("0", kReduce, 2), "exact");
  EXPECT_EQ(exactness_of("0", kReduce, 3), "none");
  EXPECT_EQ(exactness_of("2", kReduce, 3), "exact");
  constexpr std::string_view kPadded =
      "(f32[4], f32[4]) reduce-window(p, q, a, b), window={size=1 pad=1_1}, to_apply=f";
  EXPECT_EQ(exactness_of("2", kPadded, 2), "exact");
  EXPECT_EQ(exactness_of("2", kPadded, 3), "superset");
  constexpr std::string_view kScan =
      "(f32[0], f32[0], f32[], f32[]) scan(p, q, a, b), dimensions={0}, "
      "num_carries=2, to_apply=s";
  const ParsedModules parsed = parse_hlo(fmt::format(
      "s {{\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
      "  d = f32[] parameter(3)\n  e = f32[] add(c, d)\n"
      "  ROOT t = (f32[], f32[], f32[], f32[]) tuple(x, y, e, e)\n}}\n"
      "ENTRY e {{\n  p = f32[0] parameter(0)\n  q = f32[0] parameter(1)\n  a = f32[] parameter(2)\n"
      "  b = f32[] parameter(3)\n  ROOT r = {}\n}}",
      kScan));
  ASSERT_TRUE(parsed.ok());
  const Instruction& scan = *parsed.modules.at(0).entry->root;
  EXPECT_EQ(output_to_input(scan, {.output = 2, .operand = 2})->size(), 1U);
  EXPECT_TRUE(output_to_input(scan, {.output = 2, .operand = 3})->empty());
}

// Regression: the maps were exact for any function.
TEST(ReduceMaps, OfAFunctionThatIgnoresTheValuesAreSupersets) {
  const std::string hlo =
      "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] negate(a)\n}\nENTRY e {\n"
      "p0 = f32[4,2] parameter(0)\np1 = f32[] parameter(1)\nROOT r = f32[4] reduce(p0, p1), dimensions={1}, "
      "to_apply=f\n}";
  check_example({.hlo = hlo,
                 .maps = {"(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 1]"},
                 .exactness = Exactness::superset});
  check_example({.hlo = hlo, .operand = 1, .maps = {"(d0) -> (), domain: d0 in [0, 3]"}});
}

TEST(ReduceMaps, SayWhichOperandsTheFunctionMixes) {
  // The larger value does not depend on the indices, but its index depends on the values.
  const std::string hlo = fmt::format("{}{}", kArgMax, R"(ENTRY e {
  p0 = f32[256,10] parameter(0)
  p1 = s32[256,10] parameter(1)
  p2 = f32[] parameter(2)
  p3 = s32[] parameter(3)
  ROOT r = (f32[10], s32[10]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=f
})");
  constexpr const char* kRows = "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]";
  check_example({.hlo = hlo, .output = 1, .operand = 0, .maps = {kRows}});
  check_example({.hlo = hlo, .output = 0, .operand = 1, .maps = {kRows}, .exactness = Exactness::superset});
}

TEST(ReduceWindowMaps, ConstrainWindowsToTheInput) {
  const std::string hlo = with_add(
      "ENTRY e {\n p0 = f32[13,17] parameter(0)\n p1 = f32[] parameter(1)\n ROOT r = f32[7,17] "
      "reduce-window(p0, p1), window={size=3x2 stride=2x1 pad=1_1x0_1}, to_apply=f\n}");
  check_example(
      {.hlo = hlo,
       .maps = {"(d0, d1)[s0, s1] -> (d0 * 2 + s0 - 1, d1 + s1), domain: d0 in [0, 6], d1 in [0, 16], "
                "s0 in [0, 2], s1 in [0, 1], d0 * 2 + s0 in [1, 13], d1 + s1 in [0, 16]"}});
}

TEST(ReduceWindowMaps, LeadBackToTheWindowsThatHoldAnElement) {
  const std::string hlo = with_add(
      "ENTRY e {\n p0 = f32[6] parameter(0)\n p1 = f32[] parameter(1)\n ROOT r = f32[10] "
      "reduce-window(p0, p1), window={size=2 lhs_dilate=2}, to_apply=f\n}");
  check_example(
      {.hlo = hlo,
       .direction = kToOutput,
       .maps = {"(d0)[s0] -> (d0 * 2 - s0), domain: d0 in [0, 5], s0 in [0, 1], d0 * 2 - s0 in [0, 9]"}});
}

TEST(ConvolutionMaps, ReadTheOwnFeatureGroup) {
  constexpr const char* kHlo =
      "p0 = f32[1,12,10,24] parameter(0)\np1 = f32[4,3,5,48] parameter(1)\nROOT r = f32[1,10,6,48] "
      "convolution(p0, p1), "
      "window={size=3x5 pad=0_0x0_0}, dim_labels=b01f_i01o->b01f, feature_group_count=6";
  check_example(
      {.hlo = kHlo,
       .maps = {"(d0, d1, d2, d3)[s0, s1, s2] -> (0, d1 + s0, d2 + s1, (d3 / 8) * 4 + s2), domain: "
                "d0 in [0, 0], d1 in [0, 9], d2 in [0, 5], d3 in [0, 47], s0 in [0, 2], s1 in [0, 4], "
                "s2 in [0, 3]"}});
  check_example(
      {.hlo = kHlo,
       .operand = 1,
       .maps = {"(d0, d1, d2, d3)[s0, s1, s2] -> (s2, s0, s1, d3), domain: d0 in [0, 0], d1 in [0, 9], "
                "d2 in [0, 5], d3 in [0, 47], s0 in [0, 2], s1 in [0, 4], s2 in [0, 3]"}});
}

TEST(ConvolutionMaps, ReadTheOwnBatchGroup) {
  check_example(
      {.hlo = "p0 = f32[14,12,10,4] parameter(0)\np1 = f32[4,3,5,21] parameter(1)\nROOT r = f32[2,10,6,21] "
              "convolution(p0, p1), window={size=3x5 pad=0_0x0_0}, dim_labels=b01f_i01o->b01f, "
              "batch_group_count=7",
       .maps = {"(d0, d1, d2, d3)[s0, s1, s2] -> ((d3 / 3) * 2 + d0, d1 + s0, d2 + s1, s2), domain: "
                "d0 in [0, 1], d1 in [0, 9], d2 in [0, 5], d3 in [0, 20], s0 in [0, 2], s1 in [0, 4], "
                "s2 in [0, 3]"}});
}

TEST(ConvolutionMaps, OfAPaddedKernelAreSupersetsFromTheOutput) {
  check_example({.hlo = "p0 = f32[1,4,1] parameter(0)\np1 = f32[1,3,1] parameter(1)\nROOT r = f32[1,4,1] "
                        "convolution(p0, p1), window={size=3 pad=1_1}, dim_labels=b0f_i0o->b0f",
                 .operand = 1,
                 .maps = {"(d0, d1, d2)[s0] -> (0, s0, 0), domain: d0 in [0, 0], d1 in [0, 3], d2 in [0, 0], "
                          "s0 in [0, 2]"},
                 .exactness = Exactness::superset});
}

TEST(ConvolutionMaps, OfAPaddedAndDilatedKernelAreExactFromTheKernel) {
  check_example({.hlo = "p0 = f32[2,4,1] parameter(0)\np1 = f32[1,3,5] parameter(1)\nROOT r = f32[2,7,5] "
                        "convolution(p0, p1), window={size=3 pad=1_1 lhs_dilate=2 rhs_reversal=1}, "
                        "dim_labels=b0f_i0o->b0f",
                 .direction = Direction::input_to_output,
                 .operand = 1,
                 .maps = {"(d0, d1, d2)[s0, s1] -> (s0, s1, d2), domain: d0 in [0, 0], d1 in [0, 2], "
                          "d2 in [0, 4], s0 in [0, 1], s1 in [0, 6], (-d1 + s1 + 1) mod 2 in [0, 0], "
                          "-d1 + s1 in [-1, 5]"}});
}

// Regression: the map to the initial value was exact here, although scattered values replace it.
TEST(SelectAndScatterMaps, OfAFunctionThatReplacesKeepTheInitialValueAsASuperset) {
  for (const auto& [function, exactness] :
       {std::pair("add(a, b)", Exactness::exact), std::pair("negate(b)", Exactness::superset)}) {
    const std::string hlo = fmt::format(
        "lt {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), "
        "direction=GE\n}}\nf {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] {}\n}}\n"
        "ENTRY e {{\n p0 = f32[4] parameter(0)\n p1 = f32[2] parameter(1)\n p2 = f32[] parameter(2)\n ROOT r "
        "= "
        "f32[4] select-and-scatter(p0, p1, p2), window={{size=2 stride=2}}, select=lt, scatter=f\n}}",
        function);
    check_example(
        {.hlo = hlo, .operand = 2, .maps = {"(d0) -> (), domain: d0 in [0, 3]"}, .exactness = exactness});
  }
}

TEST(WindowMaps, WhosePlacesLeave64BitsAreUnknown) {
  const std::string hlo = with_add(
      "ENTRY e {\n p0 = f32[4611686018427387904] parameter(0)\n p1 = f32[] parameter(1)\n ROOT r = "
      "f32[4611686018427387904] reduce-window(p0, p1), window={size=1 stride=4}, to_apply=f\n}");
  const ParsedModules parsed = parse_hlo(std::string_view(hlo));
  const auto maps = output_to_input(*parsed.modules[0].entry->root, {});
  ASSERT_TRUE(maps.has_value());
  EXPECT_EQ(maps->front().exactness, Exactness::unknown);
}

}  // namespace
}  // namespace tessera::laws
