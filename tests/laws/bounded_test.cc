// SPDX-License-Identifier: Apache-2.0
// Every question about a map, however hard, must end within the number of steps that its limits allow. Steps
// are counted, not timed.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "expr/form/workspace.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

Index pick(std::mt19937& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

Expr linear(std::mt19937& random, Index variables, Index most) {
  Expr sum = Expr::constant(0);
  for (Index v = 0; v < variables; ++v) sum = sum + Expr::variable(v) * pick(random, -most, most);
  return sum;
}

// Remainders and quotients of sums with large coprime factors, which do not simplify.
Expr hard_sum(std::mt19937& random, Index variables, int terms) {
  Expr sum = Expr::constant(0);
  for (int i = 0; i < terms; ++i) {
    const Expr inner = linear(random, variables, random() % 2 == 0 ? 9 : 5000);
    Expr term =
        random() % 2 == 0 ? mod(inner, pick(random, 2, 100000)) : floor_div(inner, pick(random, 2, 1000));
    if (random() % 3 == 0) term = mod(floor_div(term, pick(random, 2, 30)), pick(random, 2, 5000));
    sum = sum + term * pick(random, 1, 9);
  }
  return sum;
}

IndexMap hard_map(std::mt19937& random) {
  const Index variables = pick(random, 2, 5);
  std::vector<Variable> dims;
  for (Index v = 0; v < variables; ++v) {
    const Index extents[] = {9, 999, 99999, Index{1} << 40};
    dims.push_back({Interval{0, extents[random() % 4]}});
  }
  Domain domain(dims, {}, {});
  for (auto i = random() % 3; i > 0; --i)
    domain.constrain(hard_sum(random, variables, 1), {0, pick(random, 0, 1000)});
  std::vector<Expr> results;
  for (auto i = 1 + random() % 3; i > 0; --i) {
    results.push_back(hard_sum(random, variables, static_cast<int>(pick(random, 1, 5))));
  }
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

TEST(BoundedLaws, EveryVerbEndsWithinItsSteps) {
  constexpr unsigned kSeed = 20240607;
  std::mt19937 random(kSeed);
  const JudgeLimits limits{.points = 1 << 10, .isl_operations = 20000, .steps = 1 << 20, .cells = 1 << 20};
  const auto steps = [](const auto& ask) {
    const std::uint64_t before = detail::BorrowedWorkspace::steps_of_thread();
    ask();
    return detail::BorrowedWorkspace::steps_of_thread() - before;
  };
  constexpr std::uint64_t kOne = 100'000'000;  // a few simplifications, each of at most 6,000,000 steps
  for (int i = 0; i < 40; ++i) {
    const IndexMap map = hard_map(random);
    const IndexMap other = hard_map(random);
    const std::string what =
        "seed " + std::to_string(kSeed) + ", map " + std::to_string(i) + ": " + to_string(map);
    EXPECT_LT(steps([&] { simplify(map); }), kOne) << what;
    EXPECT_LT(steps([&] { inverse(map, limits).has_value(); }), kOne) << what;
    EXPECT_LT(steps([&] { relational_inverse(map).has_value(); }), kOne) << what;
    EXPECT_LT(steps([&] { is_empty(map, limits); }), kOne) << what;
    EXPECT_LT(steps([&] { equal(map, simplify(map), limits); }), kOne) << what;
    EXPECT_LT(steps([&] {
                if (const auto both = compose(map, other)) simplify(*both);
              }),
              kOne)
        << what;
    EXPECT_LT(steps([&] {
                const Image reached = image(map, limits);
                EXPECT_EQ(reached.exact, reached.reason.empty()) << what;
              }),
              kOne)
        << what;
    for (const bool of_points : {false, true}) {
      EXPECT_LT(steps([&] {
                  const Count count = of_points ? count_points(map, limits) : count_image(map, limits);
                  EXPECT_EQ(count.exact(), count.reason.empty()) << what;
                  EXPECT_TRUE(!count.upper || count.lower <= *count.upper) << what;
                }),
                kOne)
          << what;
    }
  }
}

}  // namespace
}  // namespace tessera
