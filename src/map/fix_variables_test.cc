// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

Expr var(Index i) { return Expr::variable(i); }

IndexMap window() {
  Domain domain({{.bounds = {0, 9}}}, {{.bounds = {0, 3}}}, {});
  domain.constrain(var(0) + var(1), {2, 8});
  return IndexMap::make_unchecked(std::move(domain), {var(0) + var(1) * Index{3}, mod(var(0), 4)});
}

TEST(FixVariables, KeepsTheRangeVariablesThatHaveNoValue) {
  const Result<IndexMap> at = fix_variables(window(), std::vector<Index>{7});
  ASSERT_TRUE(at);
  EXPECT_EQ(to_string(*at), "()[s0] -> (s0 * 3 + 7, 3), domain: s0 in [0, 1]");
}

TEST(FixVariables, IsOneTupleWhenEveryVariableHasAValue) {
  const Result<IndexMap> at = fix_variables(window(), std::vector<Index>{5, 3});
  ASSERT_TRUE(at);
  EXPECT_EQ(to_string(*at), "() -> (14, 1)");
}

TEST(FixVariables, NamesTheVariableThatLiesOutside) {
  const Result<IndexMap> at = fix_variables(window(), std::vector<Index>{10});
  ASSERT_FALSE(at);
  EXPECT_EQ(at.error().code, Code::undefined_value);
  EXPECT_EQ(at.error().message, "the point is outside the domain: d0 = 10 is not in [0, 9]");
}

TEST(FixVariables, NamesTheConstraintThatFails) {
  const Result<IndexMap> at = fix_variables(window(), std::vector<Index>{0, 1});
  ASSERT_FALSE(at);
  EXPECT_EQ(at.error().message, "the point is outside the domain: d0 + s0 = 1 is not in [2, 8]");
}

TEST(FixVariables, RefusesAWrongNumberOfValues) {
  const Result<IndexMap> at = fix_variables(window(), std::vector<Index>{1, 2, 3});
  ASSERT_FALSE(at);
  EXPECT_EQ(at.error().code, Code::value_count);
}

TEST(FixVariables, RefusesAResultWithoutAValue) {
  const IndexMap map =
      IndexMap::make_unchecked(Domain({{.bounds = {0, 9}}}, {}, {}), {mod(Expr::constant(7), var(0))});
  EXPECT_TRUE(fix_variables(map, std::vector<Index>{2}));
  const Result<IndexMap> at = fix_variables(map, std::vector<Index>{0});
  ASSERT_FALSE(at);
  EXPECT_EQ(at.error().code, Code::undefined_value);
}

// Regression: the result was `s0 mod 0`, which is not a valid expression.
TEST(FixVariables, RefusesADivisionByZeroOfWhatHasNoValueYet) {
  const IndexMap map = IndexMap::make_unchecked(Domain({{.bounds = {0, 3}}}, {{.bounds = {0, 2}}}, {}),
                                                {mod(var(1), var(0)) + var(1)});
  EXPECT_TRUE(fix_variables(map, std::vector<Index>{2}));
  const Result<IndexMap> at = fix_variables(map, std::vector<Index>{0});
  ASSERT_FALSE(at);
  EXPECT_EQ(at.error().code, Code::undefined_value);
}

// Regression: the value was 0, because the range variable can only be 0.
TEST(FixVariables, RefusesAnOverflowBeforeAFactorThatIsZero) {
  const IndexMap map = IndexMap::make_unchecked(Domain({{.bounds = {0, 3}}}, {{.bounds = {0, 0}}}, {}),
                                                {var(0) * (Index{1} << 62) * var(1)});
  EXPECT_TRUE(fix_variables(map, std::vector<Index>{1}));
  const Result<IndexMap> at = fix_variables(map, std::vector<Index>{2});
  ASSERT_FALSE(at);
  EXPECT_EQ(at.error().code, Code::undefined_value);
}

// The map at a point agrees with evaluation, at every point of the box.
void check_that_it_is_evaluation(const IndexMap& map) {
  for (Index d = -1; d <= 10; ++d) {
    for (Index s = -1; s <= 4; ++s) {
      const std::vector<Index> point = {d, s};
      const Result<IndexMap> at = fix_variables(map, point);
      ASSERT_EQ(at.has_value(), map.domain().contains(point)) << d << ", " << s;
      if (at) {
        EXPECT_EQ(at->evaluate({}), map.evaluate(point)) << d << ", " << s;
      }
    }
  }
}

TEST(FixVariables, AgreesWithEvaluationAtEveryPoint) { check_that_it_is_evaluation(window()); }

}  // namespace
}  // namespace tessera
