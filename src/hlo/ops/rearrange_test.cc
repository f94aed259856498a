// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/map_examples.h"

namespace tessera::laws {
namespace {

TEST(BroadcastMaps, DropAndSweepTheNewDimensions) {
  constexpr const char* kHlo =
      "p0 = f32[20] parameter(0)\nROOT r = f32[10,20,30] broadcast(p0), dimensions={1}";
  check_example(
      {.hlo = kHlo, .maps = {"(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps = {"(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]"}});
}

TEST(TransposeMaps, PermuteDimensions) {
  constexpr const char* kHlo =
      "p0 = f32[3,12288,6,128] parameter(0)\n"
      "ROOT r = f32[3,6,128,12288] transpose(p0), dimensions={0,2,3,1}";
  check_example(
      {.hlo = kHlo,
       .maps = {"(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 127], "
                "d3 in [0, 12287]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps = {"(d0, d1, d2, d3) -> (d0, d2, d3, d1), domain: d0 in [0, 2], d1 in [0, 12287], d2 in [0, 5], "
                "d3 in [0, 127]"}});
}

TEST(ReverseMaps, AreTheirOwnInverse) {
  for (const Direction way : {kToInput, kToOutput}) {
    check_example(
        {.hlo = "p0 = f32[1,17,9,9] parameter(0)\nROOT r = f32[1,17,9,9] reverse(p0), dimensions={1,2}",
         .direction = way,
         .maps = {"(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], "
                  "d2 in [0, 8], d3 in [0, 8]"}});
  }
}

TEST(SliceMaps, ScaleAndShift) {
  constexpr const char* kHlo =
      "p0 = f32[10,20,50] parameter(0)\nROOT r = f32[5,3,25] slice(p0), slice={[5:10:1],[3:20:7],[0:50:2]}";
  check_example({.hlo = kHlo,
                 .maps = {"(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], "
                          "d2 in [0, 24]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps = {"(d0, d1, d2) -> (d0 - 5, (d1 - 3) / 7, d2 / 2), domain: d0 in [5, 9], d1 in [3, 17], "
                "d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], d2 mod 2 in [0, 0]"}});
}

TEST(ConcatenateMaps, PlaceOperandsOneAfterTheOther) {
  constexpr const char* kHlo =
      "p0 = f32[2,5,7] parameter(0)\np1 = f32[2,11,7] parameter(1)\np2 = f32[2,17,7] parameter(2)\n"
      "ROOT r = f32[2,33,7] concatenate(p0, p1, p2), dimensions={1}";
  check_example(
      {.hlo = kHlo,
       .operand = 1,
       .maps = {"(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .operand = 2,
       .maps = {"(d0, d1, d2) -> (d0, d1 + 16, d2), domain: d0 in [0, 1], d1 in [0, 16], d2 in [0, 6]"}});
}

TEST(PadMaps, SkipPaddingAndTheGapsBetween) {
  constexpr const char* kHlo =
      "p0 = f32[4,4] parameter(0)\np1 = f32[] parameter(1)\nROOT r = f32[12,16] pad(p0, p1), "
      "padding=1_4_1x4_8_0";
  check_example({.hlo = kHlo,
                 .maps = {"(d0, d1) -> ((d0 - 1) / 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], "
                          "(d0 - 1) mod 2 in [0, 0]"}});
  check_example({.hlo = kHlo,
                 .operand = 1,
                 .maps = {"(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 15]"},
                 .exactness = Exactness::superset});
  check_example({.hlo = kHlo,
                 .direction = kToOutput,
                 .maps = {"(d0, d1) -> (d0 * 2 + 1, d1 + 4), domain: d0 in [0, 3], d1 in [0, 3]"}});
}

TEST(PadMaps, CropWhereThePaddingIsNegative) {
  constexpr const char* kHlo =
      "p0 = f32[7] parameter(0)\np1 = f32[] parameter(1)\nROOT r = f32[5] pad(p0, p1), padding=-3_-5_1";
  check_example(
      {.hlo = kHlo, .maps = {"(d0) -> ((d0 + 3) / 2), domain: d0 in [0, 4], (d0 + 3) mod 2 in [0, 0]"}});
}

}  // namespace
}  // namespace tessera::laws
