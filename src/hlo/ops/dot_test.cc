// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/map_examples.h"

namespace tessera::laws {
namespace {

TEST(DotMaps, SumOverContractedDimensions) {
  constexpr const char* kHlo =
      "p0 = f32[4,128,256] parameter(0)\np1 = f32[4,256,64] parameter(1)\nROOT r = f32[4,128,64] dot(p0, "
      "p1), "
      "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}";
  check_example(
      {.hlo = kHlo,
       .maps = {"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], "
                "s0 in [0, 255]"}});
  check_example(
      {.hlo = kHlo,
       .operand = 1,
       .maps = {"(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], "
                "s0 in [0, 255]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps = {"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 255], "
                "s0 in [0, 63]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .operand = 1,
       .maps = {"(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], "
                "s0 in [0, 127]"}});
}

TEST(ScaledDotMaps, ReadOneScaleForABlock) {
  constexpr const char* kHlo =
      "p0 = f32[2,10] parameter(0)\np1 = f32[10,2] parameter(1)\np2 = f32[2,2] parameter(2)\np3 = f32[2,2] "
      "parameter(3)\n"
      "ROOT r = f32[2,2] scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  check_example({.hlo = kHlo,
                 .operand = 2,
                 .maps = {"(d0, d1)[s0] -> (d0, s0 / 5), domain: d0 in [0, 1], d1 in [0, 1], s0 in [0, 9]"}});
  check_example({.hlo = kHlo,
                 .operand = 3,
                 .maps = {"(d0, d1)[s0] -> (s0 / 5, d1), domain: d0 in [0, 1], d1 in [0, 1], s0 in [0, 9]"}});
}

TEST(RaggedDotMaps, SweepTheGroupsWhoseSizesAreData) {
  check_example(
      {.hlo = "p0 = f32[6,4] parameter(0)\np1 = f32[3,4,5] parameter(1)\np2 = s32[3] parameter(2)\n"
              "ROOT r = f32[6,5] ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
              "lhs_ragged_dims={0}, rhs_group_dims={0}",
       .operand = 1,
       .maps = {"(d0, d1)[s0, s1] -> (s1, s0, d1), domain: d0 in [0, 5], d1 in [0, 4], s0 in [0, 3], "
                "s1 in [0, 2]"},
       .exactness = Exactness::superset});
}

}  // namespace
}  // namespace tessera::laws
