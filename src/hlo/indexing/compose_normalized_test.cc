// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/compose_normalized.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "map/random_map_test.h"
#include "tessera/hlo/indexing.h"

namespace tessera {
namespace {

// A map that chooses among two indices, a range variable and constants, over intervals that end at `limit`.
Indexing choosing(std::mt19937& random, Index limit) {
  const std::vector<Variable> dims(2, {.bounds = {-limit, limit}});
  Domain domain(dims, {{.bounds = {0, testing_maps::small(random, 0, 3)}}}, {});
  std::vector<Expr> results;
  for (std::size_t i = random() % 4; i > 0; --i)
    results.push_back(random() % 5 == 0 ? Expr::constant(7)
                                        : Expr::variable(testing_maps::small(random, 0, 2)));
  return normalize({.map = IndexMap::make_unchecked(std::move(domain), std::move(results))});
}

TEST(ComposeNormalizedTest, ChoosingNeedsNoSimplification) {
  constexpr std::uint32_t kSeed = 23;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  Instruction source;
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    Indexing first{.map = testing_maps::random_map(random, 2, random() % 3, 2, 2)};
    first.exactness = random() % 2 == 0 ? Exactness::exact : Exactness::superset;
    if (random() % 3 == 0 && !first.map.known_empty()) {
      // Turns the last variable into a runtime variable, if it is a range variable.
      const auto all = first.map.variables();
      if (first.map.range_count() == 1) {
        Domain domain({all.begin(), all.begin() + 2}, {}, {all[2]});
        for (const Constraint& c : first.map.constraints()) domain.constrain(c.expr, c.range);
        first.runtime.push_back({.source = &source,
                                 .map = IndexMap::make_unchecked(Domain({all[0], all[1]}, {}, {}), {}),
                                 .clamp = all[2].bounds});
        first.map = IndexMap::make_unchecked(std::move(domain),
                                             {first.map.results().begin(), first.map.results().end()});
      }
    }
    first = normalize(std::move(first));
    // With the smaller limit some results are outside, and constraints must say so.
    const Indexing second = choosing(random, random() % 4 == 0 ? 2 : 1000);
    const Indexing expected = compose(first, second);
    const Indexing found = detail::compose_normalized(first, second);
    EXPECT_EQ(found, expected) << to_string(first.map) << "\n then " << to_string(second.map) << "\n is "
                               << to_string(found.map) << "\n not " << to_string(expected.map);
  }
}

}  // namespace
}  // namespace tessera
