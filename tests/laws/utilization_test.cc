// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares counts of reads with executions that visit every point of every map.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "laws/hlo_cases.h"
#include "map/random_map_test.h"
#include "map/values/enumerate.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/traffic.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"

namespace tessera::laws {
namespace {

constexpr std::uint64_t kSeed = 20261123;

using Element = std::vector<Index>;

// The elements that an output reads: (tile, element), and how often.
struct Visited {
  std::set<std::pair<Element, Element>> used;
  Index reads = 0;
};

// Runtime variables get random values from their intervals. Each source has one value or, if the index of the
// source's element varies, one for each element.
void visit(const Indexing& x, std::span<const Index> tile, std::mt19937_64& random, Visited& out) {
  if (x.map.known_empty()) return;
  std::map<std::pair<std::size_t, Element>, Index> values;
  std::vector<Interval> box = box_of(x.map.domain());
  const std::size_t first = box.size() - x.map.runtime_count();
  const std::vector<Interval> runtime(box.begin() + static_cast<std::ptrdiff_t>(first), box.end());
  box.resize(first);
  for (BoxRows rows(box); rows.next();) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Element point = rows.point(i);
      const Element index(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(x.map.dim_count()));
      for (std::size_t k = 0; k < runtime.size(); ++k) {
        std::vector<Index> variables(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(first));
        const auto at = x.runtime[k].map.evaluate(variables);
        ASSERT_TRUE(at) << x.runtime[k].map;
        const auto [known, is_new] = values.try_emplace({k, *at});
        if (is_new)
          known->second = std::uniform_int_distribution<Index>(runtime[k].lower, runtime[k].upper)(random);
        point.push_back(known->second);
      }
      if (!x.map.domain().contains(point)) continue;
      const auto element = x.map.evaluate(point);
      if (!element) continue;
      Element where;
      for (std::size_t d = 0; d < tile.size(); ++d) where.push_back(floor_div(index[d], tile[d]));
      out.used.emplace(std::move(where), *element);
      ++out.reads;
    }
  }
}

Visited visit(const IndexingSet& maps, std::span<const Index> tile, std::mt19937_64& random) {
  Visited out;
  for (const Indexing& x : maps) visit(x, tile, random, out);
  return out;
}

bool holds(const Count& count, Index value) {
  return count.lower <= value && (!count.upper || value <= *count.upper);
}

void check(const IndexingSet& maps, std::span<const Index> output, std::span<const Index> extents,
           const std::string& what, std::mt19937_64& random) {
  SCOPED_TRACE(what);
  const ArrayReads counted = count_reads(maps, extents);
  if (counted.exactness == Exactness::unknown) return;
  std::vector<Index> tile;
  for (const Index extent : output)
    tile.push_back(std::uniform_int_distribution<Index>(1, std::max<Index>(extent, 1))(random));
  const auto tiled = count_tile_reads(maps, output, tile, extents);
  ASSERT_TRUE(tiled) << to_string(tiled.error());
  bool runtime = false;
  for (const Indexing& x : maps) runtime = runtime || x.map.runtime_count() > 0;
  for (int execution = 0; execution < (runtime ? 4 : 1); ++execution) {
    const Visited plain = visit(maps, {}, random);
    const Visited in_tiles = visit(maps, tile, random);
    Visited in_first;
    for (const auto& [where, element] : in_tiles.used) {
      if (std::ranges::all_of(where, [](Index i) { return i == 0; })) in_first.used.emplace(where, element);
    }
    const auto used = static_cast<Index>(plain.used.size());
    if (counted.exactness == Exactness::exact) {
      EXPECT_TRUE(holds(counted.used, used)) << used << ", counted " << to_string(counted.used);
      EXPECT_TRUE(holds(counted.reads, plain.reads)) << plain.reads << ", " << to_string(counted.reads);
      EXPECT_TRUE(holds(tiled->used, static_cast<Index>(in_tiles.used.size())))
          << in_tiles.used.size() << ", in tiles " << to_string(tiled->used);
      EXPECT_TRUE(holds(tiled->used_by_first, static_cast<Index>(in_first.used.size())))
          << in_first.used.size() << ", in the first tile " << to_string(tiled->used_by_first);
    }
    EXPECT_LE(used, counted.used.upper.value_or(kIndexMax));
    EXPECT_LE(used, counted.reachable.upper.value_or(kIndexMax));
    EXPECT_LE(plain.reads, counted.reads.upper.value_or(kIndexMax));
    EXPECT_LE(std::ssize(in_tiles.used), tiled->used.upper.value_or(kIndexMax));
    if (!runtime && counted.exactness == Exactness::exact) {
      EXPECT_TRUE(counted.exact()) << to_string(counted.used) << ", " << to_string(counted.reads);
      EXPECT_TRUE(tiled->used.exact()) << to_string(tiled->used);
    }
  }
}

TEST(Utilization, OfRandomMapsIsWhatEnumerationFinds) {
  for (std::uint64_t i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
    std::mt19937 maps(static_cast<unsigned>(kSeed + i));
    std::mt19937_64 random(kSeed + i);
    IndexingSet set;
    const IndexMap first = testing_maps::random_map(maps, 1 + maps() % 2, maps() % 2, 2);
    set.push_back({.map = first});
    std::vector<Index> output;
    for (std::size_t d = 0; d < first.dim_count(); ++d)
      output.push_back(first.variables()[d].bounds.upper + 1);
    // Add more maps with the same number of dimensions.
    for (auto more = maps() % 3; more > 0; --more) {
      const IndexMap other = testing_maps::random_map(maps, first.dim_count(), maps() % 2, 2);
      set.push_back({.map = other});
      for (std::size_t d = 0; d < output.size(); ++d)
        output[d] = std::max(output[d], other.variables()[d].bounds.upper + 1);
    }
    // Dimensions of outputs must begin at 0.
    for (Indexing& x : set) {
      Domain domain = x.map.domain();
      for (std::size_t d = 0; d < output.size(); ++d)
        domain.constrain(Expr::variable(static_cast<Index>(d)), {0, std::max<Index>(output[d], 1) - 1});
      x.map = IndexMap::make_unchecked(domain, {x.map.results().begin(), x.map.results().end()});
    }
    for (Index& extent : output) extent = std::max<Index>(extent, 1);
    const std::vector<Index> extents(2, Index{1} << 20);
    std::string what = "seed " + std::to_string(kSeed + i);
    for (const Indexing& x : set) what += "\n" + to_string(x.map);
    check(set, output, extents, what, random);
  }
}

using Family = std::string (HloCases::*)();

TEST(Utilization, OfEveryOpcodeIsWhatItsMapsVisit) {
  for (const Family family :
       {&HloCases::elementwise, &HloCases::broadcast, &HloCases::reshape, &HloCases::transpose,
        &HloCases::slice, &HloCases::concatenate, &HloCases::pad, &HloCases::reduce, &HloCases::reduce_window,
        &HloCases::convolution, &HloCases::dot, &HloCases::ragged_dot, &HloCases::dynamic_slice,
        &HloCases::dynamic_update_slice, &HloCases::gather, &HloCases::known_gather, &HloCases::scatter,
        &HloCases::scan, &HloCases::select_and_scatter}) {
    for (std::uint64_t i = 0; i < 25 && !testing::Test::HasFailure(); ++i) {
      HloCases cases(kSeed + i);
      std::mt19937_64 random(kSeed + i);
      const std::string text = (cases.*family)();
      const ParsedModules parsed = parse_hlo(text);
      ASSERT_TRUE(parsed.ok()) << text;
      const Instruction& root = *parsed.modules[0].entry->root;
      if (!root.type.is_array()) continue;
      for (std::size_t operand = 0; operand < root.operands.size(); ++operand) {
        const auto maps = output_to_input(root, {.operand = operand});
        ASSERT_TRUE(maps) << text;
        if (!root.operand_type(operand).is_array()) continue;
        check(*maps, root.type.array().dims, root.operand_type(operand).array().dims,
              "seed " + std::to_string(kSeed + i) + ", operand " + std::to_string(operand) + " of\n" + text,
              random);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::laws
