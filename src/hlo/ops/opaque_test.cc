// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opaque instructions with their reasons, and forwarded values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "laws/map_examples.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {
namespace {

TEST(OpaqueMaps, SayWhyTheyAreUnknown) {
  check_example(
      {.hlo = "p0 = f32[4] parameter(0)\nROOT r = f32[4] custom-call(p0), custom_call_target=\"foo\"",
       .exactness = Exactness::unknown});
  check_example({.hlo = "p0 = token[] after-all()\nROOT r = (f32[4], token[]) infeed(p0)",
                 .exactness = Exactness::unknown});
  check_example({.hlo = "p0 = f32[] parameter(0)\np1 = f32[] parameter(1)\nROOT r = f32[4] rng(p0, p1), "
                        "distribution=rng_uniform",
                 .maps = {"(d0) -> (), domain: d0 in [0, 3]"},
                 .exactness = Exactness::superset});
}

TEST(OpaqueMaps, OfAnOpcodeThatWeDoNotKnowNameIt) {
  const ParsedModules parsed =
      parse_hlo(std::string_view("ENTRY e {\np0 = f32[4] parameter(0)\nROOT r = f32[4] frobnicate(p0)\n}"));
  const auto maps = output_to_input(*parsed.modules[0].entry->root, {});
  ASSERT_TRUE(maps.has_value());
  EXPECT_THAT(maps->front().reason, testing::HasSubstr("frobnicate"));
}

TEST(OpaqueMaps, AreRefusedForOperandsAndOutputsThatDoNotExist) {
  const ParsedModules parsed =
      parse_hlo(std::string_view("ENTRY e {\np0 = f32[4] parameter(0)\nROOT r = f32[4] negate(p0)\n}"));
  const Instruction& root = *parsed.modules[0].entry->root;
  EXPECT_EQ(output_to_input(root, {.operand = 1}).error().code, Code::index_out_of_range);
  EXPECT_EQ(input_to_output(root, {.output = 1}).error().code, Code::index_out_of_range);
}

// Found by fuzzing: shapes with an unbounded dimension are not checked, and the rule of pad assumed that its
// padding value is a scalar.
TEST(OpaqueMaps, AreThoseThatWouldLeadToAnotherRank) {
  const ParsedModules parsed =
      parse_hlo(std::string_view("ENTRY e {\nx = f32[<=4,?] parameter(0)\nv = f32[4,6] parameter(1)\n"
                                 "ROOT p = f32[1,14] pad(x, v), padding=0_0x0_0\n}"));
  const Instruction& root = *parsed.modules[0].entry->root;
  for (const std::size_t operand : {0, 1}) {
    EXPECT_EQ(output_to_input(root, {.operand = operand})->at(0).exactness, Exactness::unknown);
    EXPECT_NE(input_to_output(root, {.operand = operand})->at(0).exactness, Exactness::exact);
  }
}

TEST(TupleMaps, KeepElementsApart) {
  constexpr const char* kHlo =
      "p0 = f32[10] parameter(0)\np1 = f32[30] parameter(1)\nROOT r = (f32[10], f32[30]) tuple(p0, p1)";
  check_example({.hlo = kHlo, .output = 1, .operand = 1, .maps = {"(d0) -> (d0), domain: d0 in [0, 29]"}});
  check_example({.hlo = kHlo, .output = 0, .operand = 1});
}

TEST(TupleMaps, NameTheElementOfTheOperand) {
  const ParsedModules parsed =
      parse_hlo(std::string_view("ENTRY e {\np = ((f32[2], f32[3]), s32[5]) parameter(0)\nROOT r = s32[5] "
                                 "get-tuple-element(p), index=1\n}"));
  const auto maps = output_to_input(*parsed.modules[0].entry->root, {});
  ASSERT_EQ(maps->size(), 1U);
  EXPECT_EQ(maps->front().leaf, 2);  // leaves are counted through nested tuples
}

TEST(ScanMaps, ReadWhatCameBefore) {
  const std::string hlo =
      "f {\n x = f32[] parameter(0)\n c = f32[] parameter(1)\n y = f32[] add(x, c)\n ROOT t = (f32[], f32[]) "
      "tuple(y, y)\n}\nENTRY e {\n p0 = f32[10] parameter(0)\n p1 = f32[] parameter(1)\n ROOT r = (f32[10], "
      "f32[]) "
      "scan(p0, p1), dimensions={0}, num_carries=1, to_apply=f\n}";
  check_example(
      {.hlo = hlo, .maps = {"(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9], d0 - s0 in [0, 9]"}});
  check_example({.hlo = hlo, .output = 1, .maps = {"()[s0] -> (s0), domain: s0 in [0, 9]"}});
  check_example({.hlo = hlo, .output = 1, .operand = 1, .maps = {"() -> ()"}});
}

}  // namespace
}  // namespace tessera::laws
