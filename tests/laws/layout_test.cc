// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/layout.h"

#include <gtest/gtest.h>

#include "laws/layout_laws.h"
#include "laws/random_seed.h"

namespace tessera {
namespace {

using laws::cases;

std::mt19937_64 seeded() { return std::mt19937_64(laws::seed(20240607)); }

using Law = std::string (*)(const Layout&);

void expect_for_random_layouts(Law law, std::uint64_t count) {
  std::mt19937_64 random = seeded();
  for (std::uint64_t i = 0; i < cases(count) && !testing::Test::HasFailure(); ++i) {
    const Layout layout = laws::random_layout(random);
    EXPECT_EQ(law(layout), "") << "case " << i << ": " << to_prefixed_string(layout);
  }
}

TEST(LayoutLaws, OneFunctionInEveryForm) { expect_for_random_layouts(laws::check_one_function, 3000); }
TEST(LayoutLaws, DigitsAreTheNormalFormOfTheValues) { expect_for_random_layouts(laws::check_digits, 3000); }
TEST(LayoutLaws, ConversionsKeepTheFunctionAndRefusalsAreTrue) {
  expect_for_random_layouts(laws::check_conversions, 600);
}
TEST(LayoutLaws, OffsetsLeadBackToTheirIndices) { expect_for_random_layouts(laws::check_preimages, 1000); }

TEST(LayoutLaws, IndicesMeetAsCollisionSays) { expect_for_random_layouts(laws::check_collision, 3000); }

TEST(LayoutLaws, EqualityIsWhatEnumerationTells) {
  std::mt19937_64 random = seeded();
  for (std::uint64_t i = 0; i < cases(3000) && !testing::Test::HasFailure(); ++i) {
    const Layout a = laws::random_layout(random);
    const Layout b = laws::disturbed(a, random);
    for (const std::string& broken : {laws::check_equality(a, b), laws::check_equality(b, a)}) {
      EXPECT_EQ(broken, "") << "case " << i << ": " << to_prefixed_string(a) << " and "
                            << to_prefixed_string(b);
    }
  }
}

}  // namespace
}  // namespace tessera
