// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/map_examples.h"

namespace tessera::laws {
namespace {

TEST(ReshapeMaps, CollapseAndExpand) {
  check_example({.hlo = "p0 = f32[4,8] parameter(0)\nROOT r = f32[32] reshape(p0)",
                 .maps = {"(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]"}});
  check_example({.hlo = "p0 = f32[4,8] parameter(0)\nROOT r = f32[32] reshape(p0)",
                 .direction = kToOutput,
                 .maps = {"(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}});
}

TEST(ReshapeMaps, CutAcrossDimensions) {
  constexpr const char* kHlo = "p0 = f32[4,8] parameter(0)\nROOT r = f32[2,4,4] reshape(p0)";
  check_example(
      {.hlo = kHlo,
       .maps = {"(d0, d1, d2) -> (d0 * 2 + d1 / 2, (d1 mod 2) * 4 + d2), domain: d0 in [0, 1], d1 in [0, 3], "
                "d2 in [0, 3]"}});
  check_example({.hlo = kHlo,
                 .direction = kToOutput,
                 .maps = {"(d0, d1) -> (d0 / 2, (d0 mod 2) * 2 + d1 / 4, d1 mod 4), domain: d0 in [0, 3], "
                          "d1 in [0, 7]"}});
}

TEST(ReshapeMaps, KeepDimensionsApartThatHaveEqualProducts) {
  check_example(
      {.hlo = "p0 = f32[4,8,12] parameter(0)\nROOT r = f32[32,3,4] reshape(p0)",
       .maps = {"(d0, d1, d2) -> (d0 / 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], d1 in [0, 2], "
                "d2 in [0, 3]"}});
}

TEST(ReshapeMaps, GiveZeroForSizesOfOne) {
  check_example({.hlo = "p0 = f32[1,8] parameter(0)\nROOT r = f32[8] reshape(p0)",
                 .maps = {"(d0) -> (0, d0), domain: d0 in [0, 7]"}});
  check_example({.hlo = "p0 = f32[1] parameter(0)\nROOT r = f32[] reshape(p0)", .maps = {"() -> (0)"}});
}

TEST(ReshapeMaps, WithoutElementsAreEmptyAndKeepTheirResults) {
  check_example(
      {.hlo = "p0 = f32[0,3] parameter(0)\nROOT r = f32[3,2,0] reshape(p0)", .maps = {"KNOWN EMPTY"}});
}

TEST(BitcastMaps, FollowTheLayouts) {
  constexpr const char* kHlo = "p0 = f32[16,17,3] parameter(0)\nROOT r = f32[51,16]{0,1} bitcast(p0)";
  check_example(
      {.hlo = kHlo, .maps = {"(d0, d1) -> (d1, d0 / 3, d0 mod 3), domain: d0 in [0, 50], d1 in [0, 15]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps = {"(d0, d1, d2) -> (d1 * 3 + d2, d0), domain: d0 in [0, 15], d1 in [0, 16], d2 in [0, 2]"}});
  check_example({.hlo = "p0 = f32[1,250]{0,1} parameter(0)\nROOT r = f32[250,1] bitcast(p0)",
                 .maps = {"(d0, d1) -> (d1, d0), domain: d0 in [0, 249], d1 in [0, 0]"}});
}

TEST(BitcastMaps, SplitAndMergeTheFastestDimensionWhereTheWidthChanges) {
  constexpr const char* kHlo = "p0 = f32[3,4] parameter(0)\nROOT r = bf16[3,8] bitcast(p0)";
  check_example({.hlo = kHlo, .maps = {"(d0, d1) -> (d0, d1 / 2), domain: d0 in [0, 2], d1 in [0, 7]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps = {"(d0, d1)[s0] -> (d0, d1 * 2 + s0), domain: d0 in [0, 2], d1 in [0, 3], s0 in [0, 1]"}});
}

TEST(BitcastMaps, GoThroughTiles) {
  // Tiles of whole rows do not move anything; the row of a tile is the slow digit of the flat index.
  check_example({.hlo = "p0 = f32[16,128]{1,0:T(8,128)} parameter(0)\nROOT r = f32[2048] bitcast(p0)",
                 .maps = {"(d0) -> (d0 / 128, d0 mod 128), domain: d0 in [0, 2047]"}});
  // Element (2, 3) of a 4 x 4 array in 2 x 2 tiles is at offset 13.
  check_example({.hlo = "p0 = f32[4,4]{1,0:T(2,2)} parameter(0)\nROOT r = f32[16] bitcast(p0)",
                 .direction = kToOutput,
                 .maps = {"(d0, d1) -> ((d0 / 2) * 8 + (d1 / 2) * 4 + (d0 mod 2) * 2 + d1 mod 2), domain: "
                          "d0 in [0, 3], d1 in [0, 3]"}});
  // Padding has no index: of the 4 cells of a row of two tiles only 3 are elements.
  check_example({.hlo = "p0 = f32[3]{0:T(2)} parameter(0)\nROOT r = f32[4] bitcast(p0)",
                 .maps = {"(d0) -> (d0), domain: d0 in [0, 2]"}});
}

}  // namespace
}  // namespace tessera::laws
