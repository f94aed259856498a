// SPDX-License-Identifier: Apache-2.0
#include "tessera/map/judge.h"

#include <gtest/gtest.h>

#include "base/cancellation.h"
#include "map/judge/judge_isl.h"
#include "map/random_map_test.h"
#include "map/values/enumerate.h"

namespace tessera::judge_test {
namespace {

using testing_maps::random_map;

const Expr kX = Expr::variable(0);
const Expr kY = Expr::variable(1);

IndexMap over(std::vector<Index> extents, std::vector<Expr> results) {
  return IndexMap::make_unchecked(Domain::box(extents), std::move(results));
}

TEST(JudgeTest, TheCounterexampleIsTheSmallestPoint) {
  const Equality answer = equal(over({9, 9}, {kX + mod(kY, 4)}), over({9, 9}, {kX + kY}));
  EXPECT_EQ(answer.verdict, Verdict::no);
  ASSERT_TRUE(answer.difference);
  EXPECT_EQ(answer.difference->point, (std::vector<Index>{0, 4}));
  EXPECT_EQ(answer.difference->first, (std::vector<Index>{0}));
  EXPECT_EQ(answer.difference->second, (std::vector<Index>{4}));
}

// Regression: a point where neither map has a value was shown as the difference.
TEST(JudgeTest, MapsWithoutAValueAtAPointAreAlikeThere) {
  const Domain domain({{{0, 9}}, {{0, 2}}}, {}, {});
  const IndexMap a = IndexMap::make_unchecked(domain, {floor_div(kX, kY), mod(kX, 5)});
  const IndexMap b = IndexMap::make_unchecked(domain, {floor_div(kX, kY), mod(kX, 4)});
  const Equality answer = equal(a, b);
  ASSERT_TRUE(answer.difference);
  EXPECT_EQ(answer.difference->point, (std::vector<Index>{4, 1}));
  EXPECT_EQ(equal(IndexMap::make_unchecked(domain, {kX, floor_div(kX, kY - kY)}),
                  IndexMap::make_unchecked(domain, {kY, floor_div(kX, kY - kY)}))
                .verdict,
            Verdict::yes);
}

// Regression: beyond enumeration, a point where both values exceed 64 bits was shown as the difference.
TEST(JudgeTest, MapsThatDifferOnlyBeyond64BitsAreNotToldApart) {
  const auto product = [](Index lower, Index upper, Index factor) {
    return IndexMap::make_unchecked(Domain({{{lower, upper}}}, {}, {}),
                                    {max(mod(kX, Index{1} << 32) * factor, kX)});
  };
  constexpr Index kTwo32 = Index{1} << 32;
  EXPECT_EQ(equal(product(-2000, -5, kTwo32), product(-2000, -5, kTwo32 - 1)).verdict, Verdict::yes);
  const Equality many = equal(product(-2000000, -5, kTwo32), product(-2000000, -5, kTwo32 - 1));
  EXPECT_EQ(many.verdict, Verdict::undecided);
  if (judge_has_isl()) {
    EXPECT_NE(many.reason.find("the maps differ at (-2000000), but both exceed 64 bits there"),
              std::string::npos)
        << many.reason;
  }
  const Equality some = equal(product(-5, 999999994, kTwo32), product(-5, 999999994, kTwo32 - 1));
  EXPECT_EQ(some.verdict, Verdict::no);
  EXPECT_TRUE(some.difference->first);
  EXPECT_FALSE(some.smallest);
}

TEST(JudgeTest, DomainsMustAgreeToo) {
  const Equality answer = equal(over({8}, {kX}), over({9}, {kX}));
  EXPECT_EQ(answer.verdict, Verdict::no);
  EXPECT_EQ(answer.difference->point, (std::vector<Index>{8}));
  EXPECT_EQ(answer.difference->first, std::nullopt);
  EXPECT_EQ(answer.difference->second, (std::vector<Index>{8}));
  EXPECT_EQ(equal(over({8}, {kX}), over({8, 1}, {kX})).verdict, Verdict::no);
}

TEST(JudgeTest, BoxesBeyondEnumerationAreDecidedByIsl) {
  const Index big = Index{1} << 30;
  const IndexMap split = over({big, big}, {floor_div(kX, 6) * 6 + mod(kX, 6), max(kX, kY)});
  const IndexMap plain = over({big, big}, {kX, kY + max(kX - kY, Expr::constant(0))});
  const IndexMap wrong = over({big, big}, {kX, kY + max(kX - kY - 7, Expr::constant(0))});
  if (!judge_has_isl()) {
    EXPECT_EQ(equal(split, wrong).verdict, Verdict::no);  // by sampling
    GTEST_SKIP();
  }
  EXPECT_EQ(equal(split, plain).verdict, Verdict::yes);
  const Equality answer = equal(split, wrong);
  EXPECT_EQ(answer.verdict, Verdict::no);
  ASSERT_TRUE(answer.difference);
  EXPECT_TRUE(answer.smallest);
  EXPECT_EQ(answer.difference->point, (std::vector<Index>{1, 0}));
  EXPECT_EQ(detail::isl_equal(split, plain, 10).verdict, Verdict::undecided);
}

TEST(JudgeTest, AnUndecidedAnswerNamesTheLimit) {
  const Index big = Index{1} << 40;
  const Equality answer =
      equal(over({big, big}, {kX * kY}), over({big, big}, {kY * kX}), {.isl_operations = 1000});
  if (answer.verdict == Verdict::undecided) {
    EXPECT_NE(answer.reason.find("1048576"), std::string::npos) << answer.reason;
  }
}

TEST(JudgeTest, RandomPairsAreJudgedAlikeByEnumerationAndIsl) {
  if (!judge_has_isl()) GTEST_SKIP();
  const unsigned seed = 20250106;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  int same = 0;
  for (int i = 0; i < 300; ++i) {
    const IndexMap a = random_map(random, 2, 0, 1);
    const IndexMap b = i % 2 == 0
                           ? random_map(random, 2, 0, 1)
                           : IndexMap::make_unchecked(
                                 a.domain(), {mod(a.results()[0], 6) + floor_div(a.results()[0], 6) * 6});
    const Equality by_points = equal(a, b);
    const Equality by_isl = detail::isl_equal(a, b, 10000000);
    ASSERT_NE(by_isl.verdict, Verdict::undecided) << a << "\n" << b;
    ASSERT_EQ(by_points.verdict, by_isl.verdict) << a << "\n" << b;
    same += by_points.verdict == Verdict::yes ? 1 : 0;
    if (by_points.verdict == Verdict::no) {
      ASSERT_EQ(by_points.difference->point, by_isl.difference->point) << a << "\n" << b;
    }
    const Emptiness empty = is_empty(a);
    ASSERT_EQ(empty.verdict, detail::isl_is_empty(a, 10000000).verdict) << a;
    ASSERT_TRUE(empty.verdict != Verdict::no || a.domain().contains(empty.point));
  }
  EXPECT_GT(same, 100);
}

TEST(JudgeTest, FootprintsAreJudgedAlikeByEnumerationAndIsl) {
  if (!judge_has_isl()) GTEST_SKIP();
  std::mt19937 random(20250107);
  int contained = 0;
  for (int i = 0; i < 200; ++i) {
    const IndexMap a = random_map(random, 1, 1, 1, 2);
    const IndexMap b =
        i % 2 == 0 ? random_map(random, 1, 1, 1, 2)
                   : IndexMap::make_unchecked(Domain({a.variables()[0]}, {{Interval{-20, 20}}}, {}), {kY});
    const Inclusion by_points = footprint_within(a, b);
    const Inclusion by_isl = detail::isl_footprint_within(a, b, 10000000);
    ASSERT_EQ(by_points.verdict, by_isl.verdict) << a << "\n" << b;
    contained += by_points.verdict == Verdict::yes ? 1 : 0;
  }
  EXPECT_GT(contained, 20);
}

// Regression: the difference was shown as "undefined and undefined", which does not look like a difference.
TEST(JudgeTest, APointOutsideOfOneDomainIsNoUndefinedPoint) {
  const auto reciprocal = [](Interval bounds) {
    return IndexMap::make_unchecked(Domain({{bounds}}, {}, {}), {floor_div(Expr::constant(8), kX)});
  };
  const Equality answer = equal(reciprocal({0, 5}), reciprocal({1, 5}));
  ASSERT_TRUE(answer.difference);
  EXPECT_FALSE(answer.difference->first || answer.difference->second);
  EXPECT_EQ(answer.reason, "only the domain of the first map contains the point");
}

TEST(JudgeTest, AMapWithoutPointsIsEmptyHoweverItIsWritten) {
  Domain domain = Domain::box(std::vector<Index>{6});
  domain.constrain(mod(kX, 7), {6, 6});
  EXPECT_EQ(is_empty(IndexMap::make_unchecked(domain, {kX})).verdict, Verdict::yes);
  Domain far(std::vector<Variable>{{Interval{}}}, {}, {});
  far.constrain(mod(kX, 2), {1, 1});
  const Emptiness answer = is_empty(IndexMap::make_unchecked(far, {}));
  EXPECT_EQ(answer.verdict, Verdict::no);
  EXPECT_TRUE(far.contains(answer.point));
}

// Regression: the search for the smallest point took minutes, because its numbers grew with every cut.
TEST(JudgeTest, ThePointOfALargeDomainIsFoundSoon) {
  if (!judge_has_isl()) GTEST_SKIP();
  constexpr Index kLarge = Index{1} << 62;
  Domain domain({{Interval{1, 3}}, {Interval{-kLarge, 2147483647}}}, {}, {});
  domain.constrain(mod(mod(kX - kY - 27, kLarge + 1), kLarge - 4) - kY * 5,
                   {1891910017433441376, 1891910017433441381});
  const Emptiness answer = is_empty(IndexMap::make_unchecked(domain, {}));
  EXPECT_EQ(answer.verdict, Verdict::no);
  EXPECT_TRUE(domain.contains(answer.point));
}

// Regression: a walk over the values of `b` that ended early made a value of `a` a counterexample.
TEST(JudgeTest, ACanceledQuestionHasNoCounterexample) {
  const IndexMap map =
      IndexMap::make_unchecked(Domain({Variable{{0, 999}}}, {Variable{{0, 1}}}, {}), {kX + kY});
  // Walks ask now and then whether they are canceled: the rounds shift where.
  for (int round = 0; round < 4; ++round) {
    BoxRows({Interval::point(0)}).next();
    const detail::Cancellation stop([] { return false; });
    EXPECT_EQ(footprint_within(map, map).verdict, Verdict::undecided) << "round " << round;
  }
}

}  // namespace
}  // namespace tessera::judge_test
