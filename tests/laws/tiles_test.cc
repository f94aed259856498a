// SPDX-License-Identifier: Apache-2.0
// What the tiles of random maps read, against an evaluation of every point. TESSERA_LAW_CASES is the number
// of maps (default 2,000).
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "laws/random_seed.h"
#include "tessera/text/index_map.h"
#include "tessera/tile/tile.h"

namespace tessera::tiles_test {
namespace {

using Point = std::vector<Index>;
using Points = std::set<Point>;

Index floored(Index a, Index b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0); }

// times * (floor((sum of factors * d + shift) / divisor) mod modulus); modulus 0: no remainder.
struct Term {
  Point factors;
  Index shift = 0;
  Index divisor = 1;
  Index modulus = 0;
  Index times = 1;

  Index at(const Point& point) const {
    Index sum = shift;
    for (std::size_t d = 0; d < point.size(); ++d) sum += factors[d] * point[d];
    sum = floored(sum, divisor);
    if (modulus > 0) sum -= floored(sum, modulus) * modulus;
    return sum * times;
  }
  std::string text() const {
    std::string sum;
    for (std::size_t d = 0; d < factors.size(); ++d)
      if (factors[d] != 0)
        sum += (sum.empty() ? "" : " + ") + ("d" + std::to_string(d)) + " * " + std::to_string(factors[d]);
    sum = "(" + (sum.empty() ? "0" : sum) + " + " + std::to_string(shift) + ")";
    sum = "(" + sum + " / " + std::to_string(divisor) + ")";
    if (modulus > 0) sum = "(" + sum + " mod " + std::to_string(modulus) + ")";
    return sum + " * " + std::to_string(times);
  }
};

struct Map {
  std::vector<Interval> box;
  std::vector<std::vector<Term>> results;

  Point at(const Point& point) const {
    Point out;
    for (const std::vector<Term>& terms : results) {
      Index sum = 0;
      for (const Term& term : terms) sum += term.at(point);
      out.push_back(sum);
    }
    return out;
  }
  std::string text() const {
    std::string dims;
    std::string domain;
    for (std::size_t d = 0; d < box.size(); ++d) {
      dims += (d > 0 ? ", d" : "d") + std::to_string(d);
      domain += ", d" + std::to_string(d) + " in [" + std::to_string(box[d].lower) + ", " +
                std::to_string(box[d].upper) + "]";
    }
    std::string out;
    for (const std::vector<Term>& terms : results) {
      std::string sum;
      for (const Term& term : terms) sum += (sum.empty() ? "" : " + ") + term.text();
      out += (out.empty() ? "" : ", ") + sum;
    }
    return "(" + dims + ") -> (" + out + "), domain: " + domain.substr(2);
  }
  // What the indices of a tile inside the domain read.
  Points read(const std::vector<Interval>& tile) const {
    std::vector<Point> points = {{}};
    for (std::size_t d = 0; d < box.size(); ++d) {
      std::vector<Point> longer;
      for (const Point& head : points)
        for (Index i = std::max(tile[d].lower, box[d].lower); i <= std::min(tile[d].upper, box[d].upper);
             ++i) {
          longer.push_back(head);
          longer.back().push_back(i);
        }
      points = std::move(longer);
    }
    Points out;
    for (const Point& point : points) out.insert(at(point));
    return out;
  }
};

Points elements(const std::vector<ConcreteDimension>& dims) {
  Points out = {{}};
  for (const ConcreteDimension& dim : dims) {
    Points longer;
    for (const Point& head : out)
      for (Index k = 0; k < dim.count; ++k) {
        Point tail = head;
        tail.push_back(dim.first + k * dim.step);
        longer.insert(std::move(tail));
      }
    out = std::move(longer);
  }
  return out;
}

Map random_map(std::mt19937_64& random) {
  const auto pick = [&](Index low, Index high) {
    return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  Map out;
  const std::size_t rank = random() % 3 == 0 ? 2 : 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index lower = random() % 2 == 0 ? 0 : pick(0, 5);
    out.box.push_back({lower, lower + pick(0, rank == 1 ? 15 : 7)});
  }
  for (auto r = 1 + random() % 2; r > 0; --r) {
    std::vector<Term> terms;
    for (auto t = 1 + random() % 2; t > 0; --t) {
      Term term{.factors = Point(rank)};
      term.factors[random() % rank] = random() % 5 == 0 ? pick(-3, 4) : 1;
      if (random() % 3 == 0) term.shift = pick(-3, 5);
      if (random() % 2 == 0) term.divisor = pick(1, 5);
      if (random() % 2 == 0) term.modulus = pick(2, 6);
      if (random() % 4 == 0) term.times = pick(-3, 6);
      terms.push_back(term);
    }
    out.results.push_back(std::move(terms));
  }
  return out;
}

Index tiles_of(const Interval& box, Index size) { return ceil_div(box.upper + 1, size); }

// Regression: each of the two tiles was cut, and the answer was called exact, although no tile reads [0, 4).
TEST(TileLaw, ATileThatNoIndexReadsWholeIsABound) {
  const auto map = parse_index_map("(d0) -> (d0 mod 4), domain: d0 in [2, 5]");
  ASSERT_TRUE(map);
  const auto tile = propagate(*map, tile_grid(std::vector<Index>{6}, std::vector<Index>{4}));
  ASSERT_TRUE(tile);
  EXPECT_FALSE(tile->exact);
}

TEST(TileLaw, ExactTilesAreReadWholeBySomeTile) {
  std::mt19937_64 random(laws::seed(6));
  const auto count = laws::environment("TESSERA_LAW_CASES", 2000);
  Index exact = 0;
  Index placed_exact = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    const Map map = random_map(random);
    const auto parsed = parse_index_map(map.text());
    ASSERT_TRUE(parsed) << map.text();
    std::vector<Index> extents;
    std::vector<Index> sizes;
    for (const Interval& own : map.box) {
      extents.push_back(own.upper + 1);
      sizes.push_back(1 + static_cast<Index>(random() % static_cast<std::uint64_t>(own.upper + 1)));
    }
    StartTile grid = tile_grid(extents, sizes);
    const auto tile = propagate(*parsed, grid);
    ASSERT_TRUE(tile) << map.text();
    std::vector<Index> values(2 * sizes.size());
    std::copy(sizes.begin(), sizes.end(), values.begin() + static_cast<std::ptrdiff_t>(sizes.size()));
    const bool holds = tile->constraint.satisfied(values);
    bool whole = false;
    for (Index number = 0; holds && whole == false && number < 10000; ++number) {
      Index rest = number;
      std::vector<Interval> own;
      bool inside = true;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const Index tiles = tiles_of(map.box[d], sizes[d]);
        values[d] = rest % tiles;
        rest /= tiles;
        own.push_back({values[d] * sizes[d], (values[d] + 1) * sizes[d] - 1});
        inside = inside && map.box[d].contains(own.back());
      }
      if (rest != 0) break;
      const auto dims = at(*tile, values);
      ASSERT_TRUE(dims) << map.text();
      const Points read = map.read(own);
      const Points said = elements(*dims);
      if (tile->exact && (inside || tile->edges.satisfied(values))) {
        ASSERT_EQ(said, read) << map.text() << " sizes " << testing::PrintToString(sizes);
      }
      ASSERT_TRUE(std::includes(said.begin(), said.end(), read.begin(), read.end()))
          << map.text() << " sizes " << testing::PrintToString(sizes);
      whole = !read.empty() && said == read;
    }
    if (tile->exact && holds) {
      ++exact;
      ASSERT_TRUE(whole) << map.text() << " sizes " << testing::PrintToString(sizes);
    }
    // The tile at an index.
    std::vector<Index> first;
    std::vector<Interval> own;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      first.push_back(static_cast<Index>(random() % static_cast<std::uint64_t>(extents[d])));
      own.push_back({first[d], first[d] + sizes[d] - 1});
    }
    ASSERT_TRUE(place_at(grid, first));
    const auto placed = propagate(*parsed, grid);
    ASSERT_TRUE(placed) << map.text();
    std::fill_n(values.begin(), sizes.size(), 0);
    const auto dims = at(*placed, values);
    ASSERT_TRUE(dims) << map.text();
    const Points read = map.read(own);
    const Points said = elements(*dims);
    if (placed->exact) {
      ++placed_exact;
      ASSERT_EQ(said, read) << map.text() << " at " << testing::PrintToString(first) << " sizes "
                            << testing::PrintToString(sizes);
    } else {
      ASSERT_TRUE(std::includes(said.begin(), said.end(), read.begin(), read.end())) << map.text();
      ASSERT_NE(said, read) << map.text() << " at " << testing::PrintToString(first) << " sizes "
                            << testing::PrintToString(sizes);
    }
  }
  std::cout << exact << " exact grids, " << placed_exact << " exact tiles at an index\n";
}

}  // namespace
}  // namespace tessera::tiles_test
