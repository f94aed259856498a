// SPDX-License-Identifier: Apache-2.0
// Compares random distributions with an evaluator that handles one element at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/index_walk.h"
#include "laws/random_distributions.h"
#include "reshard/parts/element_holders.h"
#include "tessera/reshard/distribution.h"

namespace tessera::laws::distributions_test {
namespace {

std::uint64_t parameter(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::vector<Index> small_shape(std::mt19937_64& random) {
  std::vector<Index> shape(random() % 5 + 1);
  const std::uint64_t most = shape.size() > 3 ? 5 : shape.size() > 1 ? 13 : 40;
  for (Index& extent : shape) extent = static_cast<Index>(random() % (most + 1));
  return shape;
}

TEST(Distributions, AgreeWithOneElementAtATime) {
  const std::uint64_t seed = parameter("TESSERA_SEED", 20261);
  const std::uint64_t count = parameter("TESSERA_DISTRIBUTIONS", 1500);
  SCOPED_TRACE(fmt::format("TESSERA_SEED={} TESSERA_DISTRIBUTIONS={}", seed, count));
  std::mt19937_64 random(seed);
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::vector<Index> shape = small_shape(random);
    const std::string text = random_distribution(random, shape, 12);
    SCOPED_TRACE(fmt::format("case {}: {} of [{}]", n, text, fmt::join(shape, ",")));
    const auto read = parse_distribution(text);
    ASSERT_TRUE(read) << to_string(read.error());
    const std::string canonical = to_string(*read);
    const auto again = parse_distribution(canonical);
    ASSERT_TRUE(again) << canonical;
    ASSERT_EQ(to_string(*again), canonical);
    const auto bound = bind_distribution(*read, shape, 12);
    ASSERT_TRUE(bound) << to_string(bound.error());
    Index elements = 1;
    for (const Index extent : shape) elements *= extent;
    const ElementHolders formulas(*bound);
    std::vector<Index> held(12, 0);
    for (Index flat = 0; flat < elements; ++flat) {
      const std::vector<Index> index = detail::index_with_number(shape, flat);
      const auto found = holders(*bound, index);
      ASSERT_TRUE(found);
      const auto expected = holders_by_element(*read, shape, index, 12);
      ASSERT_EQ(found->size(), expected.size()) << fmt::format("at {}", fmt::join(index, ","));
      const std::vector<ElementHolder> by_formula = formulas.at(index);
      ASSERT_EQ(by_formula.size(), expected.size()) << fmt::format("at {}", fmt::join(index, ","));
      for (std::size_t k = 0; k < expected.size(); ++k) {
        ASSERT_EQ((*found)[k].place, expected[k].first) << fmt::format("at {}", fmt::join(index, ","));
        ASSERT_EQ((*found)[k].local, expected[k].second) << fmt::format("at {}", fmt::join(index, ","));
        ASSERT_EQ(by_formula[k], (ElementHolder{expected[k].first, expected[k].second}))
            << fmt::format("at {}", fmt::join(index, ","));
        ++held[static_cast<std::size_t>(expected[k].first)];
      }
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const CutIndex here = formulas.cut(d, index[d]);
        ASSERT_GE(here.run, 1);
        for (Index k = 1; k < here.run && index[d] + k < shape[d]; ++k) {
          const CutIndex later = formulas.cut(d, index[d] + k);
          ASSERT_EQ(later.parts, here.parts) << fmt::format("at {}, {} later", fmt::join(index, ","), k);
          ASSERT_EQ(later.local, here.local + k) << fmt::format("at {}, {} later", fmt::join(index, ","), k);
        }
      }
    }
    for (Index place = 0; place < 12; ++place) {
      const auto shard = bound->shard_of(place);
      ASSERT_EQ(shard ? bound->elements(*shard) : 0, held[static_cast<std::size_t>(place)])
          << "place " << place;
    }
  }
}

enum class Grid { none, some_places, all_places };

// Whether some grid of tiles holds the same, by trying all: the elements of a tile have the same holders,
// with the index in the tile as the local index; holders of other tiles are others, and as many. A grid has
// all places of the mesh, or only one place.
Grid best_grid(const Distribution& distribution, const std::vector<Index>& shape) {
  constexpr Index kPlaces = 12;
  Index elements = 1;
  for (const Index extent : shape) elements *= extent;
  if (elements == 0) return Grid::all_places;
  const auto mesh = distribution.everywhere ? kPlaces : std::ssize(distribution.mesh.places);
  std::vector<std::vector<OneHolder>> of_element;
  for (Index flat = 0; flat < elements; ++flat)
    of_element.push_back(
        holders_by_element(distribution, shape, detail::index_with_number(shape, flat), kPlaces));
  const auto copies = std::ssize(of_element[0]);
  const auto fits = [&](const std::vector<Index>& tiles) {
    std::map<std::vector<Index>, std::vector<Index>> places_of;  // of each tile
    std::map<Index, std::vector<Index>> tile_of;                 // of each place
    for (Index flat = 0; flat < elements; ++flat) {
      const std::vector<Index> index = detail::index_with_number(shape, flat);
      std::vector<Index> tile;
      std::vector<Index> local;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const Index chunk = (shape[d] + tiles[d] - 1) / tiles[d];
        tile.push_back(index[d] / chunk);
        local.push_back(index[d] % chunk);
      }
      std::vector<Index> places;
      for (const auto& [place, at] : of_element[static_cast<std::size_t>(flat)]) {
        if (at != local || tile_of.emplace(place, tile).first->second != tile) return false;
        places.push_back(place);
      }
      if (places_of.emplace(tile, places).first->second != places) return false;
      if (std::ssize(places) != copies) return false;
    }
    return true;
  };
  Grid best = Grid::none;
  std::vector<Index> tiles(shape.size(), 1);
  while (true) {
    Index count = copies;
    for (const Index own : tiles) count *= own;
    if (count <= mesh && fits(tiles)) {
      if (count == mesh || count == 1) return Grid::all_places;
      best = Grid::some_places;
    }
    std::size_t d = 0;
    while (d < tiles.size() && ++tiles[d] > kPlaces) tiles[d++] = 1;
    if (d == tiles.size()) return best;
  }
}

TEST(Distributions, ConversionsHoldTheSame) {
  const std::uint64_t seed = parameter("TESSERA_SEED", 20262);
  std::mt19937_64 random(seed);
  int converted = 0;
  int placed = 0;
  int partly = 0;
  for (std::uint64_t n = 0; n < parameter("TESSERA_LAW_CASES", 1500); ++n) {
    const std::vector<Index> shape = small_shape(random);
    const std::string text = random_distribution(random, shape, 12);
    SCOPED_TRACE(fmt::format("TESSERA_SEED={} case {}: {} of [{}]", seed, n, text, fmt::join(shape, ",")));
    const auto bound = bind_distribution(*parse_distribution(text), shape, 12);
    ASSERT_TRUE(bound);
    const auto as_tiles = convert(*bound, DistributionNotation::xla);
    const bool tiled = as_tiles.has_value();
    const Grid grid = best_grid(*parse_distribution(text), shape);
    ASSERT_EQ(tiled, grid == Grid::all_places);
    if (!tiled) {
      ASSERT_EQ(as_tiles.error().reason == "places", grid == Grid::some_places);
    }
    if (grid == Grid::some_places) {  // the help has the sharding of the places that hold elements
      ++partly;
      const std::string& help = as_tiles.error().help;
      const std::size_t begin = help.find("it is ") + 6;
      const auto held = parse_distribution(help.substr(begin, help.find(';') - begin));
      ASSERT_TRUE(held) << help;
      ASSERT_EQ(equal(*bound, *bind_distribution(*held, shape, 12), DistributionNotion::map)->verdict,
                Verdict::yes)
          << help;
    }
    for (const auto to : {DistributionNotation::mesh, DistributionNotation::xla, DistributionNotation::jax,
                          DistributionNotation::sdy, DistributionNotation::torch}) {
      const auto made = convert(*bound, to);
      if (!made && to == DistributionNotation::torch) {
        const bool none = made.error().reason == "placements" && !made.error().witness.empty();
        ASSERT_EQ(made.error().code, none ? Code::not_representable : Code::undecided);
        ASSERT_FALSE(tiled);  // one placement for each dimension
        continue;
      }
      if (!made) {
        ASSERT_NE(to, DistributionNotation::mesh);
        ASSERT_FALSE(tiled);
        ASSERT_EQ(made.error().code, Code::not_representable);
        continue;
      }
      ASSERT_EQ(made->notation, to);
      ASSERT_TRUE(tiled || to == DistributionNotation::mesh || to == DistributionNotation::torch);
      const auto read = parse_distribution(to_string(*made));
      ASSERT_TRUE(read) << to_string(*made);
      const auto again = bind_distribution(*read, shape, 12);
      ASSERT_TRUE(again) << to_string(*made);
      const auto same = equal(*bound, *again, DistributionNotion::map);
      ASSERT_TRUE(same);
      ASSERT_EQ(same->verdict, Verdict::yes) << to_string(*made);
      converted += to == DistributionNotation::xla ? 1 : 0;
      placed += to == DistributionNotation::torch ? 1 : 0;
    }
  }
  EXPECT_GT(converted, 100);
  EXPECT_GT(placed, converted);
  EXPECT_GT(partly, 0);
}

TEST(Distributions, EqualFindsTheFirstDifference) {
  const std::uint64_t seed = parameter("TESSERA_SEED", 20263);
  std::mt19937_64 random(seed);
  for (int n = 0; n < 1500; ++n) {
    const std::vector<Index> shape = small_shape(random);
    const std::string locals[] = {"", " local column", " local row padded", " local column padded"};
    const std::string a_text = random_distribution(random, shape, 6) + locals[random() % 4];
    const std::string b_text =
        random() % 3 == 0 ? a_text : random_distribution(random, shape, 6) + locals[random() % 4];
    SCOPED_TRACE(fmt::format("TESSERA_SEED={} case {}: {} and {} of [{}]", seed, n, a_text, b_text,
                             fmt::join(shape, ",")));
    const auto a = bind_distribution(*parse_distribution(a_text), shape, 6);
    const auto b = bind_distribution(*parse_distribution(b_text), shape, 6);
    ASSERT_TRUE(a && b);
    for (const auto notion : {DistributionNotion::map, DistributionNotion::holders}) {
      const auto same = equal(*a, *b, notion);
      ASSERT_TRUE(same);
      Index elements = 1;
      for (const Index extent : shape) elements *= extent;
      std::vector<Index> first;
      bool differ = false;
      for (Index flat = 0; flat < elements && !differ; ++flat) {
        first = detail::index_with_number(shape, flat);
        const auto in_a = *holders(*a, first);
        const auto in_b = *holders(*b, first);
        differ = in_a.size() != in_b.size();
        for (std::size_t k = 0; !differ && k < in_a.size(); ++k) {
          differ = notion == DistributionNotion::map ? !(in_a[k] == in_b[k]) : in_a[k].place != in_b[k].place;
        }
      }
      ASSERT_EQ(same->verdict, differ ? Verdict::no : Verdict::yes);
      if (differ) {
        ASSERT_EQ(same->at, first);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::laws::distributions_test
