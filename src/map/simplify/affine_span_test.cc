// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/affine_span.h"

#include <gtest/gtest.h>

#include <random>

namespace tessera::detail {
namespace {

using Row = AffineSpan::Row;

Row row(std::initializer_list<Index> factors, Index value) {
  Row out{};
  std::ranges::copy(factors, out.begin());
  out[AffineSpan::kVariables] = value;
  return out;
}

TEST(AffineSpanTest, FindsTheFactorsOfAFunction) {
  AffineSpan span(2);
  EXPECT_TRUE(span.add(row({2, 1}, 7)));   // 2a + b = 7
  EXPECT_TRUE(span.add(row({4, 2}, 14)));  // the same direction
  EXPECT_EQ(span.rank(), 1u);
  EXPECT_TRUE(span.add(row({0, 3}, 3)));
  const auto factors = span.factors();
  ASSERT_TRUE(factors);
  EXPECT_EQ((*factors)[0], 3);
  EXPECT_EQ((*factors)[1], 1);
}

TEST(AffineSpanTest, RefusesDifferencesOfNoAffineFunction) {
  AffineSpan span(2);
  EXPECT_TRUE(span.add(row({1, 0}, 1)));
  EXPECT_FALSE(span.add(row({2, 0}, 3)));
}

TEST(AffineSpanTest, FactorsThatAreNotIntegersAreRefused) {
  AffineSpan span(1);
  EXPECT_TRUE(span.add(row({2}, 1)));
  EXPECT_FALSE(span.factors());
}

// For random differences: the orthogonal vectors are orthogonal to each, and there is one for each missing
// direction.
TEST(AffineSpanTest, OrthogonalVectorsAreOrthogonal) {
  std::mt19937 random(20261125);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t variables = 1 + random() % 5;
    AffineSpan span(variables);
    std::vector<Row> rows;
    for (std::size_t k = random() % (variables + 1); k > 0; --k) {
      Row own{};
      for (std::size_t v = 0; v < variables; ++v) own[v] = static_cast<Index>(random() % 7) - 3;
      ASSERT_TRUE(span.add(own));
      rows.push_back(own);
    }
    const std::vector<Row> vectors = span.orthogonal();
    ASSERT_EQ(vectors.size(), variables - span.rank());
    for (const Row& vector : vectors) {
      Index length = 0;
      for (std::size_t v = 0; v < variables; ++v) length += vector[v] * vector[v];
      EXPECT_GT(length, 0);
      for (const Row& own : rows) {
        Index product = 0;
        for (std::size_t v = 0; v < variables; ++v) product += own[v] * vector[v];
        EXPECT_EQ(product, 0);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::detail
