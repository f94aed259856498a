// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/layout.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "laws/layout_laws.h"

namespace tessera {
namespace {

// TESSERA_SEED changes the cases. TESSERA_CASES multiplies their number.
std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::mt19937_64 seeded() {
  const std::uint64_t seed = environment("TESSERA_SEED", 20240607);
  std::cout << "seed " << seed << "\n";
  return std::mt19937_64(seed);
}

std::uint64_t cases(std::uint64_t usual) { return usual * environment("TESSERA_CASES", 1); }

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
