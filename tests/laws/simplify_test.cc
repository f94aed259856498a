// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/simplify.h"

#include <gtest/gtest.h>

#include "laws/random_chains.h"
#include "laws/random_seed.h"
#include "laws/simplify_laws.h"
#include "map/random_map_test.h"
#include "map/simplify/environment.h"

namespace tessera::simplify_test {
namespace {

using laws::cases;
using laws::environment;

std::uint64_t seed() { return laws::seed(20240607); }

void expect_all_laws(const IndexMap& map, std::mt19937_64& random) {
  const IndexMap simple = simplify(map);
  for (const std::string& broken :
       {laws::check_same_meaning(map, simple, random), laws::check_idempotent(simple),
        laws::check_emptiness_found(map, simple), laws::check_order_independent(map, simple, random)}) {
    EXPECT_EQ(broken, "") << "for " << laws::text_of(map) << "\n gives " << laws::text_of(simple);
  }
  const IndexMap preserved = simplify(map, Points::preserve);
  for (const std::string& broken : {laws::check_same_meaning(map, preserved, random),
                                    laws::check_idempotent(preserved, Points::preserve)}) {
    EXPECT_EQ(broken, "") << "preserving points of " << laws::text_of(map) << "\n gives "
                          << laws::text_of(preserved);
  }
}

TEST(SimplifyLaws, HoldForChainsOfTensorOperations) {
  std::mt19937_64 random(seed());
  for (std::uint64_t i = 0; i < cases(1000) && !testing::Test::HasFailure(); ++i) {
    const auto steps =
        testing_chains::random_chain(random, static_cast<int>(testing_chains::pick(random, 1, 6)));
    const IndexMap map = testing_chains::compose_all(steps);
    expect_all_laws(map, random);
    EXPECT_EQ(laws::check_not_larger(map, simplify(map)), "") << laws::text_of(map);
  }
}

TEST(SimplifyLaws, HoldForSmallRandomTreesWithNegativeBounds) {
  std::mt19937_64 random(seed());
  std::mt19937 small(static_cast<std::mt19937::result_type>(random()));
  for (std::uint64_t i = 0; i < cases(4000) && !testing::Test::HasFailure(); ++i) {
    const auto dims = 1 + small() % 2;
    const auto ranges = small() % 2;
    const int depth = 2 + static_cast<int>(small() % 4);
    expect_all_laws(testing_maps::random_map(small, dims, ranges, 1, depth), random);
  }
}

// Regression: near the ends of the 64-bit range, sums were printed in an order that overflows, although the
// input does not overflow.
TEST(SimplifyLaws, HoldNearTheEndsOf64Bits) {
  std::mt19937_64 random(seed());
  std::mt19937 small(static_cast<std::mt19937::result_type>(random()));
  for (std::uint64_t i = 0; i < cases(4000) && !testing::Test::HasFailure(); ++i) {
    const auto dims = 1 + small() % 2;
    const int depth = 2 + static_cast<int>(small() % 3);
    const IndexMap map =
        laws::moved_to_the_ends(testing_maps::random_map(small, dims, small() % 2, 1, depth), random);
    for (const Points points : {Points::replace, Points::preserve}) {
      const IndexMap simple = simplify(map, points);
      for (const std::string& broken :
           {laws::check_same_meaning(map, simple, random), laws::check_text_has_values(map, simple, random),
            laws::check_idempotent(simple, points)}) {
        EXPECT_EQ(broken, "") << "for " << laws::text_of(map) << "\n gives " << laws::text_of(simple);
      }
    }
  }
}

// For at least 99 of 100 chains, composing step by step with simplification and composing all steps before
// simplifying give the same text (10,000 chains with TESSERA_CASES=10; see docs/understand/simplifier.md).
// The texts of the other chains are equivalent.
TEST(SimplifyLaws, StepwiseAndOneShotCompositionMeet) {
  std::mt19937_64 random(seed());
  std::uint64_t met = 0;
  const std::uint64_t count = cases(1000);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto steps =
        testing_chains::random_chain(random, static_cast<int>(testing_chains::pick(random, 2, 6)));
    const IndexMap at_once = simplify(testing_chains::compose_all(steps));
    IndexMap stepwise = simplify(steps[0]);
    for (std::size_t k = 1; k < steps.size(); ++k) stepwise = simplify(*compose(stepwise, steps[k]));
    met += laws::text_of(stepwise) == laws::text_of(at_once);
    EXPECT_EQ(laws::check_same_meaning(at_once, stepwise, random, 50), "");
  }
  std::cout << met << " of " << count << " chains\n";
  EXPECT_GE(met * 100, count * 99);
}

TEST(SimplifyLaws, ReshapeRoundTripsAreIdentities) {
  std::mt19937_64 random(seed());
  for (std::uint64_t i = 0; i < cases(500); ++i) {
    const auto shape = testing_chains::random_shape(random);
    const auto there = testing_chains::reshape(random, shape);
    const auto back = testing_chains::reshape_to(there.operand, shape, random() % 2 == 0);
    const IndexMap round = simplify(*compose(there.map, back.map));
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Expr e = round.results()[d];
      EXPECT_TRUE(e == Expr::variable(static_cast<Index>(d)) || (shape[d] == 1 && e.is_constant(0)))
          << laws::text_of(round);
    }
  }
}

// Regression: each of the 58 distinct nodes of this chain was written out to keep its structure, which took
// most of the time.
TEST(SimplifyLaws, LargeInputsTakeWorkForTheirNormalFormsOnly) {
  std::vector<IndexMap> steps;
  testing_chains::Extents shape = {24, 30, 28};
  testing_chains::Extents other = {28, 36, 20};
  for (int i = 0; i < 6; ++i) {
    const Expr turned[] = {Expr::variable(2), Expr::variable(0), Expr::variable(1)};
    steps.push_back(IndexMap::make_unchecked(Domain::box(shape), {turned, turned + 3}));
    steps.push_back(testing_chains::reshape_to({shape[2], shape[0], shape[1]}, other, true).map);
    std::swap(shape, other);
  }
  const IndexMap map = testing_chains::compose_all(steps);
  detail::Workspace ws;
  const IndexMap simple = detail::simplified(ws, map);
  EXPECT_LT(ws.steps_taken(), 5'000u);
  EXPECT_EQ(simplify(simple), simple);
}

}  // namespace
}  // namespace tessera::simplify_test
