// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/map_examples.h"

namespace tessera::laws {
namespace {

TEST(ElementwiseMaps, AreTheIdentityBothWays) {
  for (const Direction way : {kToInput, kToOutput}) {
    for (const std::size_t operand : {0u, 1u}) {
      check_example({.hlo = "p0 = f32[10,20] parameter(0)\np1 = f32[10,20] parameter(1)\n"
                            "ROOT r = f32[10,20] add(p0, p1)",
                     .direction = way,
                     .operand = operand,
                     .maps = {"(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"}});
    }
  }
}

TEST(ElementwiseMaps, OfAScalarPredicateLeadToEveryElement) {
  constexpr const char* kHlo =
      "p0 = pred[] parameter(0)\np1 = f32[3,4] parameter(1)\nROOT r = f32[3,4] select(p0, p1, p1)";
  check_example({.hlo = kHlo, .maps = {"(d0, d1) -> (), domain: d0 in [0, 2], d1 in [0, 3]"}});
  check_example({.hlo = kHlo,
                 .direction = kToOutput,
                 .maps = {"()[s0, s1] -> (s0, s1), domain: s0 in [0, 2], s1 in [0, 3]"}});
}

TEST(ElementwiseMaps, OfANarrowerBitcastConvertDropTheParts) {
  constexpr const char* kHlo = "p0 = f32[10] parameter(0)\nROOT r = u8[10,4] bitcast-convert(p0)";
  check_example({.hlo = kHlo, .maps = {"(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 3]"}});
  check_example({.hlo = kHlo,
                 .direction = kToOutput,
                 .maps = {"(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 3]"}});
}

// Regression: the answer included the second operand, which the function does not use.
TEST(ElementwiseMaps, OfAFunctionReadWhatItUses) {
  constexpr const char* kHlo =
      "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] negate(a)\n}\nENTRY e {\n"
      "p0 = f32[4] parameter(0)\np1 = f32[4] parameter(1)\nROOT r = f32[4] map(p0, p1), dimensions={0}, "
      "to_apply=f\n}";
  for (const Direction way : {kToInput, kToOutput}) {
    check_example({.hlo = kHlo, .direction = way, .maps = {"(d0) -> (d0), domain: d0 in [0, 3]"}});
    check_example({.hlo = kHlo, .direction = way, .operand = 1});
  }
}

TEST(ElementwiseMaps, WithoutElementsAreEmptyAndKeepTheirResults) {
  const MapExample example{.hlo = "p0 = f32[0,3] parameter(0)\nROOT r = f32[0,3] copy(p0)",
                           .maps = {"KNOWN EMPTY"}};
  check_example(example);
}

}  // namespace
}  // namespace tessera::laws
