// SPDX-License-Identifier: Apache-2.0
// A program that includes only the umbrella header.
#include <gtest/gtest.h>

#include "tessera/tessera.h"

namespace {

TEST(UmbrellaTest, OneIncludeIsEnough) {
  const tessera::Layout layout = tessera::parse_layout("f32[3,5]{1,0:T(2,2)}").value();
  EXPECT_EQ(layout.offset({2, 3}), 17);
  const auto cute = tessera::convert(layout, tessera::Notation::cute).value();
  EXPECT_EQ(tessera::to_string(cute.layout), "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)");
  const auto map = tessera::parse_index_map("(d0) -> (d0 mod 8 floordiv 8), domain: d0 in [0, 63]").value();
  EXPECT_EQ(tessera::to_string(tessera::simplify(map)), "(d0) -> (0), domain: d0 in [0, 63]");
  EXPECT_EQ(tessera::parse_hlo("HloModule m\nENTRY e { ROOT p = f32[4] parameter(0) }").modules.size(), 1U);
}

}  // namespace
