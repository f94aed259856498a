// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "tessera/hlo/module.h"
#include "tessera/tile/tile.h"

namespace tessera {
namespace {

using Indices = std::set<std::pair<Index, Index>>;

void add_indices(const SymbolicTile& tile, std::span<const Index> values, Indices& out) {
  const auto dims = at(tile, values);
  ASSERT_TRUE(dims) << dims.error().message;
  for (Index i = 0; i < (*dims)[0].count; ++i)
    for (Index j = 0; j < (*dims)[1].count; ++j)
      out.insert({(*dims)[0].first + i * (*dims)[0].step, (*dims)[1].first + j * (*dims)[1].step});
}

// Tiles of slices, with and without strides, reversed and constant dimensions, compared index by index.
TEST(TileUnion, ContainsTheTilesAndNothingElseIfItIsExact) {
  constexpr unsigned kSeed = 20261126;
  int exact = 0;
  for (unsigned round = 0; round < 2000 && !HasFailure(); ++round) {
    std::mt19937 random(kSeed + round);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    SCOPED_TRACE(testing::Message() << "seed " << kSeed + round);
    const std::vector<Index> extents = {n(1, 20), n(1, 20)};
    const std::vector<Index> sizes = {n(1, extents[0]), n(1, extents[1])};
    const StartTile start = tile_grid(extents, sizes);
    std::vector<SymbolicTile> tiles;
    const Index strides[] = {1, 1, 1, 1, 2, 3, -1, 0};
    const std::array<Index, 2> stride = {strides[n(0, 7)], strides[n(0, 7)]};
    for (Index k = n(2, 4); k-- > 0;) {
      std::vector<Expr> results;
      for (std::size_t d = 0; d < 2; ++d)
        results.push_back(Expr::variable(static_cast<Index>(d)) * stride[d] + (n(0, 1) == 0 ? 0 : n(0, 4)) +
                          30);
      const auto tile = propagate(IndexMap::make_unchecked(Domain::box(extents), std::move(results)), start);
      ASSERT_TRUE(tile) << tile.error().message;
      tiles.push_back(*tile);
    }
    const auto one = tile_union(tiles);
    ASSERT_TRUE(one);
    exact += one->exact;
    for (Index t0 = 0; t0 * sizes[0] < extents[0]; ++t0) {
      for (Index t1 = 0; t1 * sizes[1] < extents[1]; ++t1) {
        const std::vector<Index> values = {t0, t1, sizes[0], sizes[1]};
        Indices read;
        Indices joined;
        for (const SymbolicTile& tile : tiles) add_indices(tile, values, read);
        add_indices(*one, values, joined);
        EXPECT_TRUE(std::ranges::includes(joined, read));
        const bool is_cut = (t0 + 1) * sizes[0] > extents[0] || (t1 + 1) * sizes[1] > extents[1];
        if (one->exact && (!is_cut || one->edges.satisfied(values))) {
          EXPECT_EQ(joined, read);
        }
      }
    }
  }
  EXPECT_GT(exact, 300);
}

TEST(TileUnion, OfAFusionWithTwoRoots) {
  const ParsedModules parsed = parse_hlo(R"(f {
  p = f32[64]{0} parameter(0)
  a = f32[60]{0} slice(p), slice={[0:60]}
  b = f32[60]{0} slice(p), slice={[4:64]}
  ROOT t = (f32[60]{0}, f32[60]{0}) tuple(a, b)
}
ENTRY e {
  p = f32[64]{0} parameter(0)
  ROOT r = (f32[60]{0}, f32[60]{0}) fusion(p), kind=kLoop, calls=f
})");
  ASSERT_TRUE(parsed.ok());
  ProgramIndexing program;
  for (const Index size : {3, 5}) {
    const auto read = tiles_read_by_all(program, *parsed.modules.front().entry->root, std::vector{size});
    ASSERT_TRUE(read);
    ASSERT_EQ(read->reads.size(), 2u);
    const auto one = tile_union(std::vector{*read->reads[0].tile, *read->reads[1].tile});
    ASSERT_TRUE(one);
    EXPECT_EQ(one->exact, size == 5);  // tiles of 3 leave a gap between [0, 3) and [4, 7)
    EXPECT_TRUE(one->dims[0].size.is_constant(size + 4));
  }
}

// A step of a sum reads less than the sum, which is all that the maps to earlier values say. Their tiles were
// called exact.
TEST(TilesUpstream, OfAStepOfASumAreBounds) {
  const ParsedModules parsed = parse_hlo(R"(add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}
ENTRY e {
  p = f32[6,8]{1,0} parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[8]{0} reduce(p, z), dimensions={0}, to_apply=add
})");
  ASSERT_TRUE(parsed.ok());
  const Instruction& sum = *parsed.modules.front().entry->root;
  ProgramIndexing program;
  for (const Index step : {6, 2}) {
    const auto start = tile_of_output(sum, 0, std::vector<Index>{4, step});
    ASSERT_TRUE(start);
    const auto read = tiles_upstream(program, sum, 0, *start);
    ASSERT_TRUE(read);
    const auto of_p = std::ranges::find(*read, "p", [](const OperandTile& t) { return t.value->name; });
    ASSERT_NE(of_p, read->end());
    EXPECT_EQ(of_p->exact(), step == 6);
    EXPECT_TRUE(of_p->tile->dims[0].size.is_constant(6));
  }
}

}  // namespace
}  // namespace tessera
