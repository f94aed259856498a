// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "map/values/enumerate.h"
#include "tessera/text/index_map.h"
#include "tessera/tile/tile.h"
#include "tile/random_chain_test.h"

namespace tessera {
namespace {

using testing_tiles::ChainMaker;
using testing_tiles::RandomChain;
using Elements = std::set<std::vector<Index>>;

// The elements that the indices first <= d < end of the start array read, with these runtime values.
Elements read_by(const IndexMap& map, const std::vector<Interval>& tile,
                 std::span<const Index> runtime = {}) {
  Elements out;
  std::vector<Interval> box = box_of(map.domain());
  for (std::size_t i = 0; i < runtime.size(); ++i)
    box[box.size() - runtime.size() + i] = Interval::point(runtime[i]);
  for (std::size_t i = 0; i < tile.size(); ++i) {
    const auto cut = intersect(box[i], tile[i]);
    if (!cut) return out;
    box[i] = *cut;
  }
  MapEvaluator values(map);
  for (BoxRows rows(box); rows.next();) {
    values.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (values.inside(i)) out.insert(*values.values(i));
  }
  return out;
}

Elements product(const std::vector<ConcreteDimension>& dims) {
  Elements out = {{}};
  for (const ConcreteDimension& dim : dims) {
    Elements longer;
    for (const std::vector<Index>& head : out) {
      for (Index k = 0; k < dim.count; ++k) {
        std::vector<Index> tail = head;
        tail.push_back(dim.first + k * dim.step);
        longer.insert(std::move(tail));
      }
    }
    out = std::move(longer);
  }
  return out;
}

// True if each interval of the tile is entirely inside or entirely outside the domain.
bool is_inside(const IndexMap& map, const std::vector<Interval>& tile) {
  for (std::size_t i = 0; i < tile.size(); ++i) {
    const Interval defined = map.variables()[i].bounds;
    if (!defined.contains(tile[i]) && defined.intersects(tile[i])) return false;
  }
  return true;
}

struct Tally {
  Index exact = 0;
  Index bound = 0;
  Index refused = 0;  // sizes that the constraint excludes
  Index tiles = 0;
};

// Compares every tile of these sizes with enumeration.
void check_tiles(const RandomChain& chain, const SymbolicTile& tile, const std::vector<Index>& sizes,
                 Tally& tally, const std::vector<Index>& runtime = {}) {
  const std::size_t n = sizes.size();
  std::vector<Interval> grid;
  for (std::size_t i = 0; i < n; ++i) grid.push_back({0, ceil_div(chain.extents[i], sizes[i]) - 1});
  std::vector<Index> values(2 * n);
  std::copy(sizes.begin(), sizes.end(), values.begin() + static_cast<std::ptrdiff_t>(n));
  values.insert(values.end(), runtime.begin(), runtime.end());
  if (!tile.constraint.satisfied(values)) {
    ++tally.refused;
    return;
  }
  const bool edges = tile.edges.satisfied(values);
  for (BoxRows rows(grid); rows.next();) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::vector<Index> id = rows.point(r);
      std::copy(id.begin(), id.end(), values.begin());
      std::vector<Interval> box;
      for (std::size_t i = 0; i < n; ++i) box.push_back({id[i] * sizes[i], (id[i] + 1) * sizes[i] - 1});
      const bool inside = is_inside(chain.map, box);
      const Elements wanted = read_by(chain.map, box, runtime);
      const auto dims = at(tile, values);
      ASSERT_TRUE(dims) << to_string(dims.error());
      const Elements got = product(*dims);
      ++tally.tiles;
      if (tile.exact && (inside || edges)) {
        ASSERT_EQ(got, wanted) << chain.text << "\n"
                               << to_string(chain.map) << "\n"
                               << to_string(tile) << "sizes " << testing::PrintToString(sizes) << " at "
                               << testing::PrintToString(id);
      } else {
        ASSERT_TRUE(std::includes(got.begin(), got.end(), wanted.begin(), wanted.end()))
            << chain.text << "\n"
            << to_string(chain.map) << "\n"
            << to_string(tile) << "sizes " << testing::PrintToString(sizes) << " at "
            << testing::PrintToString(id) << testing::PrintToString(wanted);
      }
    }
  }
}

// coefficient * floor or remainder of a variable with a shift; sometimes of two, or of their maximum.
Expr random_term(std::mt19937& random, Index variables) {
  const auto pick = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  Expr e = Expr::variable(pick(0, variables - 1));
  if (random() % 4 == 0) e = e * pick(-3, 6) + Expr::variable(pick(0, variables - 1));
  if (random() % 6 == 0) e = max(e, Expr::variable(pick(0, variables - 1)));
  if (random() % 3 == 0) e = e + pick(-3, 5);
  switch (random() % 5) {
    case 0:
      e = floor_div(e, pick(2, 6));
      break;
    case 1:
      e = ceil_div(e, random() % 4 == 0 ? pick(-6, -2) : pick(2, 6));
      break;
    case 2:
      e = mod(floor_div(e, pick(1, 3)), pick(2, 6));
      break;
    default:
      break;
  }
  return e * (random() % 2 == 0 ? 1 : pick(-3, 6));
}

// Dimensions that may begin below or above 0, up to one range variable and one runtime variable.
IndexMap random_tiled_map(std::mt19937& random) {
  const auto variables = [&](std::size_t count, Index lowest) {
    std::vector<Variable> out(count);
    for (Variable& v : out) {
      v.bounds.lower = random() % 3 == 0 ? std::uniform_int_distribution<Index>(lowest, 2)(random) : 0;
      v.bounds.upper = std::uniform_int_distribution<Index>(std::max<Index>(v.bounds.lower, 0), 15)(random);
    }
    return out;
  };
  const std::size_t dims = 1 + random() % 2;
  Domain domain(variables(dims, -3), variables(random() % 2, 0), variables(random() % 3 == 0 ? 1 : 0, 0));
  const auto count = static_cast<Index>(domain.variable_count());
  std::vector<Expr> results;
  for (auto r = 1 + random() % 2; r > 0; --r) {
    Expr sum = random_term(random, count);
    if (random() % 2 == 0) sum = sum + random_term(random, count);
    results.push_back(sum);
  }
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

// Regression: shifted quotients and remainders have one value more than was thought, an offset before the
// domain was put into the result, a runtime variable in a quotient moved the limits of the tile, and negative
// indices were counted in.
TEST(SymbolicTile, ReadsNothingBeyondTheEndsOfTheDomain) {
  for (const char* const text :
       {"(d0, d1) -> (d0 * 2 + d1 ceildiv 3), domain: d0 in [0, 15], d1 in [0, 4]",
        "(d0, d1) -> (d0 * 3 + (d1 + 4) mod 6), domain: d0 in [0, 7], d1 in [0, 2]",
        "(d0, d1) -> (d1 / -5 - d0 * 2), domain: d0 in [1, 4], d1 in [0, 7]",
        "(d0)[s0] -> (min(s0, d0) ceildiv 6), domain: d0 in [2, 2], s0 in [1, 7]",
        "(d0)[s0]{rt0} -> ((d0 * 2 + s0 + rt0) / 2), domain: d0 in [0, 15], s0 in [0, 6], rt0 in [0, 6]",
        "(d0, d1) -> (d1 + (d0 / 6 mod 5)), domain: d0 in [-3, 0], d1 in [0, 4]"}) {
    const auto map = parse_index_map(text);
    ASSERT_TRUE(map);
    const RandomChain given{*map, tiled_extents(*map).value(), {}, text};
    std::vector<Interval> all;
    for (const Index extent : given.extents) all.push_back({1, extent});
    Tally tally;
    for (BoxRows rows(all); rows.next();) {
      for (std::size_t i = 0; i < rows.size() && !testing::Test::HasFatalFailure(); ++i) {
        const std::vector<Index> sizes = rows.point(i);
        const auto tile = propagate(*map, tile_grid(given.extents, sizes));
        ASSERT_TRUE(tile);
        for (Index rt = 0; rt < (map->runtime_count() > 0 ? 7 : 1); ++rt)
          check_tiles(given, *tile, sizes, tally, std::vector<Index>(map->runtime_count(), rt));
      }
    }
  }
}

TEST(SymbolicTile, RandomMapsReadTheElementsOfTheirTiles) {
  const char* const fixed_seed = std::getenv("TESSERA_SEED");
  const unsigned seed = fixed_seed == nullptr ? 1 : static_cast<unsigned>(std::atoi(fixed_seed));
  const char* const maps = std::getenv("TESSERA_TILE_CHAINS");
  const int count = maps == nullptr ? 4000 : std::atoi(maps);
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  Tally tally;
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    RandomChain given{random_tiled_map(random), {}, {}};
    given.text = to_string(given.map);
    given.extents = tiled_extents(given.map).value();
    std::vector<Index> sizes;
    for (const Index extent : given.extents)
      sizes.push_back(std::uniform_int_distribution<Index>(1, extent)(random));
    std::vector<Index> runtime;
    for (std::size_t v = 0; v < given.map.runtime_count(); ++v) {
      const Interval bounds = given.map.variables()[given.map.variables().size() - 1].bounds;
      runtime.push_back(std::uniform_int_distribution<Index>(bounds.lower, bounds.upper)(random));
    }
    for (const StartTile& start : {tile_grid(given.extents), tile_grid(given.extents, sizes)}) {
      const auto tile = propagate(given.map, start);
      if (!tile) continue;
      ++(tile->exact ? tally.exact : tally.bound);
      check_tiles(given, *tile, sizes, tally, runtime);
    }
  }
  EXPECT_GT(tally.exact, count / 2);
}

// XLA only describes the tile at the origin and treats all other tiles as shifted copies of it. That is wrong
// for a slice of a reshape, so this test compares every tile of a chain with the elements that its indices
// read.
TEST(SymbolicTile, RandomChainsReadTheElementsOfTheirTiles) {
  const char* const chains = std::getenv("TESSERA_TILE_CHAINS");
  const int count = chains == nullptr ? 2000 : std::atoi(chains);
  const char* const fixed_seed = std::getenv("TESSERA_SEED");
  const unsigned seed =
      fixed_seed == nullptr ? std::random_device()() : static_cast<unsigned>(std::atoi(fixed_seed));
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  Tally tally;
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    const RandomChain chain = ChainMaker(random).make(1 + i % 5);
    if (chain.map.known_empty()) continue;
    std::vector<Index> sizes;
    for (const Index extent : chain.extents)
      sizes.push_back(std::uniform_int_distribution<Index>(1, extent)(random));
    StartTile open = tile_grid(chain.extents);
    open.extents = chain.read;
    const auto tile = propagate(chain.map, open);
    ASSERT_TRUE(tile) << to_string(tile.error());
    ++(tile->exact ? tally.exact : tally.bound);
    check_tiles(chain, *tile, sizes, tally);
    const StartTile closed = tile_grid(chain.extents, sizes);
    const auto fixed = propagate(chain.map, closed);
    ASSERT_TRUE(fixed) << to_string(fixed.error());
    check_tiles(chain, *fixed, sizes, tally);
    const auto origin = symbolic_tile(chain.map);
    ASSERT_TRUE(origin) << to_string(origin.error());
    for (std::size_t d = 0; d < sizes.size(); ++d)
      sizes[d] = std::min(sizes[d], chain.map.variables()[d].bounds.upper + 1);
    if (!origin->constraint.satisfied(sizes)) continue;
    const auto dims = at(*origin, sizes);
    ASSERT_TRUE(dims);
    std::vector<Interval> box;
    for (const Index size : sizes) box.push_back({0, size - 1});
    const Elements wanted = read_by(chain.map, box);
    if (origin->exact && (origin->edges.satisfied(sizes) || is_inside(chain.map, box))) {
      ASSERT_EQ(product(*dims), wanted) << chain.text << "\n"
                                        << to_string(chain.map) << "\n"
                                        << to_string(*origin) << testing::PrintToString(sizes);
    } else {
      const Elements got = product(*dims);
      ASSERT_TRUE(std::includes(got.begin(), got.end(), wanted.begin(), wanted.end()))
          << to_string(chain.map) << "\n"
          << to_string(*origin);
    }
  }
  std::cout << tally.exact << " exact, " << tally.bound << " bounds, " << tally.tiles << " tiles compared, "
            << tally.refused << " sizes excluded\n";
}

// Only one index reads something. A tile that contains this index was once treated as if it read nothing, or
// the neighboring element.
TEST(SymbolicTile, ReadsTheOneElementBetweenPadding) {
  const auto map = parse_index_map("(d0, d1) -> (d0 - 1, d1), domain: d0 in [1, 1], d1 in [0, 2]");
  ASSERT_TRUE(map);
  const std::vector<Index> extents = {3, 3};
  const auto tile = propagate(*map, tile_grid(extents));
  ASSERT_TRUE(tile);
  EXPECT_TRUE(tile->exact) << to_string(*tile);
  Tally tally;
  for (Index size = 1; size <= 3; ++size) check_tiles({*map, extents, {1, 3}}, *tile, {size, 2}, tally);
  EXPECT_EQ(tally.refused, 0);
}

// The taps of a dilated window leave gaps, which the steps of the tile fill if the tile is large enough. Only
// tiles of size 1 once had an exact answer.
TEST(SymbolicTile, FillsTheGapsOfADilatedWindow) {
  const auto map = parse_index_map("(d0)[s0] -> (d0 + s0 * 3), domain: d0 in [0, 11], s0 in [0, 2]");
  ASSERT_TRUE(map);
  const auto tile = propagate(*map, tile_grid(std::vector<Index>{12}));
  ASSERT_TRUE(tile);
  EXPECT_TRUE(tile->exact);
  Tally tally;
  for (Index size = 1; size <= 12; ++size) check_tiles({*map, {12}, {18}}, *tile, {size}, tally);
  EXPECT_EQ(tally.refused, 1);  // size 2 leaves gaps
}

// A window over an array with gaps: only every second or third index reads an element. The answer was once
// only a bound.
TEST(SymbolicTile, ReadsADilatedArrayThroughAWindow) {
  for (const char* const text :
       {"(d0)[s0] -> ((d0 + s0) / 2), domain: d0 in [0, 14], s0 in [0, 2], (d0 + s0) mod 2 in [1, 1]",
        "(d0)[s0] -> ((d0 * 2 + s0 - 1) / 3), domain: d0 in [0, 9], s0 in [0, 1], (d0 - s0) mod 3 in [2, "
        "2]"}) {
    const auto map = parse_index_map(text);
    ASSERT_TRUE(map);
    const Index extent = map->variables()[0].bounds.upper + 1;
    const auto tile = propagate(*map, tile_grid(std::vector<Index>{extent}));
    ASSERT_TRUE(tile);
    EXPECT_TRUE(tile->exact) << to_string(*tile);
    Tally tally;
    for (Index size = 1; size <= extent; ++size) check_tiles({*map, {extent}, {8}}, *tile, {size}, tally);
    EXPECT_EQ(tally.refused, 0);
  }
}

// XLA has no tile for an array with padding between its elements.
TEST(SymbolicTile, ReadsTheElementsBetweenInteriorPadding) {
  const auto map = parse_index_map("(d0) -> (d0 / 8), domain: d0 in [1, 25], d0 mod 8 in [1, 1]");
  ASSERT_TRUE(map);
  const std::vector<Index> extents = {30};
  const auto tile = propagate(*map, tile_grid(extents));
  ASSERT_TRUE(tile);
  EXPECT_TRUE(tile->exact) << to_string(*tile);
  Tally tally;
  for (Index size = 1; size <= 30; ++size) check_tiles({*map, extents, {4}}, *tile, {size}, tally);
  EXPECT_EQ(tally.refused, 0);
}

}  // namespace
}  // namespace tessera
