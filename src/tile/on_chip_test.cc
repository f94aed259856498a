// SPDX-License-Identifier: Apache-2.0
#include "tile/on_chip.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "tile/product_bound.h"

namespace tessera::detail {
namespace {

constexpr unsigned kOnChipSeed = 20261130;

// A chip that keeps what it used last, and counts what moves.
class SimulatedChip {
 public:
  explicit SimulatedChip(Index bytes) : bytes_(bytes) {}

  using Key = std::tuple<int, Index, Index>;  // matrix, row, column
  Index moved = 0;

  // `fresh`: a sum that begins, which is not read.
  void use(const Key& key, Index size, bool fresh, bool dirty, const std::set<Key>& held) {
    const auto at = std::ranges::find(order_, key, &Entry::key);
    if (at != order_.end()) {
      Entry entry = *at;
      entry.dirty = entry.dirty || dirty;
      order_.erase(at);
      order_.push_back(entry);
      return;
    }
    if (!fresh) moved += size;
    used_ += size;
    order_.push_back({key, size, dirty});
    for (auto entry = order_.begin(); used_ > bytes_ && entry != order_.end();) {
      if (held.contains(entry->key)) {
        ++entry;
        continue;
      }
      used_ -= entry->size;
      if (entry->dirty) moved += entry->size;
      entry = order_.erase(entry);
    }
    ASSERT_LE(used_, bytes_);
  }
  // The sum leaves as a result.
  void write(const Key& key, Index size) {
    const auto at = std::ranges::find(order_, key, &Entry::key);
    ASSERT_NE(at, order_.end());
    used_ -= at->size;
    order_.erase(at);
    moved += size;
  }

 private:
  struct Entry {
    Key key;
    Index size;
    bool dirty;
  };
  Index bytes_;
  Index used_ = 0;
  std::list<Entry> order_;
};

// A product in six loops over blocks and within them, in any order, with a chip of any size.
TEST(ProductBound, NoOrderOfAProductMovesLess) {
  int near = 0;
  for (unsigned round = 0; round < 3000 && !HasFailure(); ++round) {
    std::mt19937 random(kOnChipSeed + round);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    SCOPED_TRACE(testing::Message() << "seed " << kOnChipSeed + round);
    const bool one_array = n(0, 3) == 0;
    const Index side = n(1, 10);
    const Index sizes[3] = {one_array ? side : n(1, 10), one_array ? side : n(1, 10),
                            one_array ? side : n(1, 10)};
    const Index widths[] = {1, 2, 4};
    const Index left = widths[n(0, 2)];
    const Index right = one_array ? left : widths[n(0, 2)];
    const Index partial = widths[n(0, 2)];
    const Index result = widths[n(0, 2)];
    const Index on_chip = n(left + right + partial, 60);
    Index block[3];
    for (int d = 0; d < 3; ++d) block[d] = n(1, std::min<Index>(sizes[d], 4));
    int outer[3] = {0, 1, 2};
    int inner[3] = {0, 1, 2};
    std::shuffle(outer, outer + 3, random);
    std::shuffle(inner, inner + 3, random);
    SimulatedChip chip(on_chip);
    std::map<std::pair<Index, Index>, Index> done;
    Index at[3];
    const auto step = [&] {
      const auto [i, j, k] = std::tuple(at[0], at[1], at[2]);
      const SimulatedChip::Key a{0, i, k};
      const SimulatedChip::Key b{one_array ? 0 : 1, k, j};
      const SimulatedChip::Key c{2, i, j};
      const std::set<SimulatedChip::Key> held = {a, b, c};
      Index& count = done[{i, j}];
      chip.use(a, left, false, false, held);
      chip.use(b, right, false, false, held);
      chip.use(c, partial, count == 0, true, held);
      if (++count == sizes[2]) chip.write(c, result);
    };
    Index base[3];
    const auto within = [&](auto&& self, int depth) -> void {
      if (depth == 3) return step();
      const int d = inner[depth];
      for (at[d] = base[d]; at[d] < std::min(base[d] + block[d], sizes[d]); ++at[d]) self(self, depth + 1);
    };
    const auto blocks = [&](auto&& self, int depth) -> void {
      if (depth == 3) return within(within, 0);
      const int d = outer[depth];
      for (base[d] = 0; base[d] < sizes[d]; base[d] += block[d]) self(self, depth + 1);
    };
    blocks(blocks, 0);
    const Product product{.multiplications = sizes[0] * sizes[1] * sizes[2],
                          .results = sizes[0] * sizes[1],
                          .left_bits = 8 * left,
                          .right_bits = 8 * right,
                          .sum_bits = 8 * partial,
                          .one_array = one_array};
    const Index bound = least_product_bytes(product, sizes[0] * sizes[1] * result, on_chip);
    EXPECT_LE(bound, chip.moved);
    near += 3 * bound >= chip.moved ? 1 : 0;
  }
  // The bound says something: it is within a factor of three of many of these orders.
  EXPECT_GT(near, 100);
}

// The formula, at numbers that can be followed by hand: 2 * 64^3 / sqrt(48) - 2 * 48 of elements.
TEST(ProductBound, IsTheFormula) {
  const Product product{
      .multiplications = 64 * 64 * 64, .results = 64 * 64, .left_bits = 32, .right_bits = 32, .sum_bits = 32};
  const Index bound = least_product_bytes(product, 64 * 64 * 4, 4 * 48);
  EXPECT_EQ(bound, static_cast<Index>(4 * (2 * 64.0 * 64 * 64 / std::sqrt(48.0) - 96)));
  EXPECT_EQ(least_product_bytes(product, 64 * 64 * 4, 1 << 20), 0);
  EXPECT_GT(least_product_bytes(product, 64 * 64 * 4, 12), 0);
  EXPECT_EQ(least_product_bytes(product, 64 * 64 * 4, 11), 0);  // two elements and a sum do not fit
}

std::optional<Product> product_in(const char* text) {
  const ParsedModules parsed = parse_hlo(text);
  EXPECT_TRUE(parsed.ok()) << text;
  if (!parsed.ok()) return std::nullopt;
  const HloModule& module = parsed.modules[0];
  std::vector<const Computation*> computations;
  for (const auto& computation : module.computations) computations.push_back(computation.get());
  ArrayOrigins origins(computations);
  return product_of_step(*module.entry->root, origins);
}

TEST(ProductBound, FindsTheProductOfAStep) {
  const auto plain = product_in(R"(ENTRY e { a = bf16[2,8,16] parameter(0) b = f32[2,16,4] parameter(1)
    ROOT d = f32[2,8,4] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} })");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->multiplications, 2 * 8 * 16 * 4);
  EXPECT_EQ(plain->results, 2 * 8 * 4);
  EXPECT_EQ(plain->left_bits, 16);
  EXPECT_EQ(plain->right_bits, 32);
  EXPECT_FALSE(plain->one_array);
  const auto square = product_in(R"(ENTRY e { t = (f32[8,8], f32[8,8]) parameter(0)
    a = f32[8,8] get-tuple-element(t), index=0
    b = f32[8,8] get-tuple-element(t), index=0
    ROOT d = f32[8,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} })");
  ASSERT_TRUE(square);
  EXPECT_TRUE(square->one_array);
  // The operand lies in memory as bf16; the sum is of f32, whatever is stored.
  const auto fused = product_in(R"(f { p = bf16[8,16] parameter(0) q = f32[16,4] parameter(1)
      c = f32[8,16] convert(p)
      d = f32[8,4] dot(c, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      n = f32[8,4] negate(d)
      ROOT r = bf16[8,4] convert(n) }
    ENTRY e { a = bf16[8,16] parameter(0) b = f32[16,4] parameter(1)
      ROOT x = bf16[8,4] fusion(a, b), kind=kOutput, calls=f })");
  ASSERT_TRUE(fused);
  EXPECT_EQ(fused->left_bits, 16);
  EXPECT_EQ(fused->sum_bits, 32);
  // Part of the product is not needed; an operand is computed from less.
  EXPECT_FALSE(product_in(R"(f { p = f32[8,16] parameter(0) q = f32[16,4] parameter(1)
      d = f32[8,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = f32[2,4] slice(d), slice={[0:2], [0:4]} }
    ENTRY e { a = f32[8,16] parameter(0) b = f32[16,4] parameter(1)
      ROOT x = f32[2,4] fusion(a, b), kind=kOutput, calls=f })"));
  EXPECT_FALSE(product_in(R"(f { p = f32[16] parameter(0) q = f32[16,4] parameter(1)
      b = f32[8,16] broadcast(p), dimensions={1}
      ROOT d = f32[8,4] dot(b, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
    ENTRY e { a = f32[16] parameter(0) b = f32[16,4] parameter(1)
      ROOT x = f32[8,4] fusion(a, b), kind=kOutput, calls=f })"));
  // The sum needs the product, the first of all elements does not.
  for (const bool adds : {true, false}) {
    const std::string reduced = fmt::format(
        R"(k {{ u = f32[] parameter(0) v = f32[] parameter(1) ROOT w = f32[] {} }}
    f {{ p = f32[8,16] parameter(0) q = f32[16,4] parameter(1) c = f32[] constant(0)
      d = f32[8,4] dot(p, q), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
      ROOT r = f32[] reduce(d, c), dimensions={{0,1}}, to_apply=k }}
    ENTRY e {{ a = f32[8,16] parameter(0) b = f32[16,4] parameter(1)
      ROOT x = f32[] fusion(a, b), kind=kOutput, calls=f }})",
        adds ? "add(u, v)" : "copy(u)");
    EXPECT_EQ(product_in(reduced.c_str()).has_value(), adds);
  }
}

// Every tiling of a product by divisors and powers of two, counted tile by tile.
TEST(OnChip, NoTilingOfAProductMovesLess) {
  for (unsigned round = 0; round < 60 && !HasFailure(); ++round) {
    std::mt19937 random(kOnChipSeed + round);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    SCOPED_TRACE(testing::Message() << "seed " << kOnChipSeed + round);
    const Index m = n(1, 24);
    const Index p = n(1, 24);
    const Index k = n(1, 24);
    const Index on_chip = round % 4 == 0 ? n(1, 16) : n(8, 2000);
    const ParsedModules parsed = parse_hlo(fmt::format(
        "ENTRY e {{ a = bf16[{0},{2}] parameter(0) b = f32[{2},{1}] parameter(1)\n"
        "ROOT d = f32[{0},{1}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}",
        m, p, k));
    ASSERT_TRUE(parsed.ok());
    const HloModule& module = parsed.modules[0];
    const ProgramTraffic traffic = program_traffic(module);
    const TiledProgram tiled = tiled_traffic(module, traffic, on_chip);
    ASSERT_EQ(tiled.steps.size(), 1U);
    const TiledStep& step = tiled.steps[0];
    const Index least = 2 * m * k + 4 * k * p + 4 * m * p;
    EXPECT_LE(step.bytes.lower, *step.bytes.upper);
    EXPECT_GE(step.bytes.lower, least);
    EXPECT_EQ(step.whole, least <= on_chip);
    const auto divides = [](Index extent, Index size) {
      return extent % size == 0 || (size < extent && (size & (size - 1)) == 0);
    };
    Index best = (2 + 4) * m * k * p + 4 * m * p;  // every element on its own
    for (Index x = 1; x <= m; ++x)
      for (Index y = 1; y <= p; ++y)
        for (Index z = 1; z <= k; ++z) {
          if (!divides(m, x) || !divides(p, y) || !divides(k, z)) continue;
          if (4 * x * y + 2 * x * z + 4 * z * y > on_chip) continue;
          const Index tiles = ceil_div(m, x) * ceil_div(p, y) * ceil_div(k, z);
          const Index bytes = tiles * (2 * x * z + 4 * z * y) + 4 * m * p;
          best = std::min(best, bytes);
        }
    if (!step.whole) {
      EXPECT_EQ(*step.bytes.upper, best);
    }
    if (step.tile) {
      EXPECT_LE(step.tile->bytes, on_chip);
    }
  }
}

// Sums of f32 whose results are stored as bf16: a tile of sums that fits moves no less than the bound.
TEST(OnChip, ATileHasRoomForItsSums) {
  int tiles = 0;
  for (unsigned round = 0; round < 60 && !HasFailure(); ++round) {
    std::mt19937 random(kOnChipSeed + round);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    SCOPED_TRACE(testing::Message() << "seed " << kOnChipSeed + round);
    const Index m = 8 * n(1, 8);
    const Index p = 8 * n(1, 8);
    const Index k = 8 * n(1, 8);
    const Index on_chip = n(16, 1000);
    const ParsedModules parsed = parse_hlo(
        fmt::format("f {{ a = bf16[{0},{2}] parameter(0) b = bf16[{2},{1}] parameter(1)\n"
                    "d = f32[{0},{1}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
                    "ROOT c = bf16[{0},{1}] convert(d) }}\n"
                    "ENTRY e {{ a = bf16[{0},{2}] parameter(0) b = bf16[{2},{1}] parameter(1)\n"
                    "ROOT x = bf16[{0},{1}] fusion(a, b), kind=kOutput, calls=f }}",
                    m, p, k));
    ASSERT_TRUE(parsed.ok());
    const ProgramTraffic traffic = program_traffic(parsed.modules[0]);
    const TiledStep step = tiled_traffic(parsed.modules[0], traffic, on_chip).steps.at(0);
    EXPECT_LE(step.bytes.lower, *step.bytes.upper);
    if (!step.tile) continue;
    ++tiles;
    EXPECT_LE(step.tile->bytes, on_chip);
    const Index x = step.tile->sizes[0];
    const Index y = step.tile->sizes[1];
    const Index z = step.tile->sizes.size() > 2 ? step.tile->sizes[2] : k;
    EXPECT_EQ(step.tile->bytes, 4 * x * y + 2 * z * (x + y));
  }
  EXPECT_GT(tiles, 30);
}

// Results of one shape share a tile, and so do the operands that both read.
TEST(OnChip, ResultsOfOneShapeShareATile) {
  int tiles = 0;
  for (unsigned round = 0; round < 60 && !HasFailure(); ++round) {
    std::mt19937 random(kOnChipSeed + round);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    SCOPED_TRACE(testing::Message() << "seed " << kOnChipSeed + round);
    const Index rows = n(1, 40);
    const Index columns = n(1, 40);
    const Index on_chip = n(16, 3000);
    const ParsedModules parsed = parse_hlo(fmt::format(
        "f {{ x = f32[{0},{1}] parameter(0) v = f32[{1}] parameter(1) w = f32[{0}] parameter(2)\n"
        "bv = f32[{0},{1}] broadcast(v), dimensions={{1}}\nbw = f32[{0},{1}] broadcast(w), dimensions={{0}}\n"
        "a = f32[{0},{1}] add(x, bv)\nb = f32[{0},{1}] multiply(x, bw)\n"
        "ROOT t = (f32[{0},{1}], f32[{0},{1}]) tuple(a, b) }}\n"
        "ENTRY e {{ x = f32[{0},{1}] parameter(0) v = f32[{1}] parameter(1) w = f32[{0}] parameter(2)\n"
        "ROOT r = (f32[{0},{1}], f32[{0},{1}]) fusion(x, v, w), kind=kLoop, calls=f }}",
        rows, columns));
    ASSERT_TRUE(parsed.ok());
    const ProgramTraffic traffic = program_traffic(parsed.modules[0]);
    const TiledStep step = tiled_traffic(parsed.modules[0], traffic, on_chip).steps.at(0);
    const Index written = 8 * rows * columns;
    Index best = 4 * 3 * rows * columns + written;  // every element on its own
    for (Index p = 1; p <= rows; ++p)
      for (Index q = 1; q <= columns; ++q) {
        if ((rows % p != 0 && (p & (p - 1)) != 0) || (columns % q != 0 && (q & (q - 1)) != 0)) continue;
        const Index read = 4 * (p * q + p + q);
        if (8 * p * q + read > on_chip) continue;
        best = std::min(best, ceil_div(rows, p) * ceil_div(columns, q) * read + written);
      }
    if (step.whole) continue;
    EXPECT_EQ(step.bytes.upper, best);
    tiles += step.tile ? 1 : 0;
  }
  EXPECT_GT(tiles, 30);
}

// A row that one result needs whole has the part that the other one needs.
TEST(OnChip, ARowIsReadOnceForItsElementsAndItsSum) {
  const ParsedModules parsed =
      parse_hlo(R"(k { u = f32[] parameter(0) v = f32[] parameter(1) ROOT w = f32[] add(u, v) }
    f { x = f32[64,512] parameter(0) c = f32[] constant(0)
      s = f32[64] reduce(x, c), dimensions={1}, to_apply=k
      b = f32[64,512] broadcast(s), dimensions={0}
      d = f32[64,512] divide(x, b)
      ROOT t = (f32[64], f32[64,512]) tuple(s, d) }
    ENTRY e { x = f32[64,512] parameter(0)
      ROOT r = (f32[64], f32[64,512]) fusion(x), kind=kInput, calls=f })");
  ASSERT_TRUE(parsed.ok());
  const ProgramTraffic traffic = program_traffic(parsed.modules[0]);
  const TiledStep step = tiled_traffic(parsed.modules[0], traffic, 8192).steps.at(0);
  ASSERT_TRUE(step.tile) << step.reason;
  EXPECT_EQ(step.leaf, 1U);
  EXPECT_EQ(step.tile->sizes[1], 512);
  EXPECT_EQ(step.bytes.upper, 2 * 64 * 512 * 4 + 64 * 4);
}

// The loops of a sum over a product keep both operands, which do not fit.
TEST(OnChip, ASumOverAProductHasNoUpperBound) {
  const ParsedModules parsed =
      parse_hlo(R"(k { u = f32[] parameter(0) v = f32[] parameter(1) ROOT w = f32[] add(u, v) }
    f { p = f32[512,512] parameter(0) q = f32[512,512] parameter(1) c = f32[] constant(0)
      d = f32[512,512] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = f32[] reduce(d, c), dimensions={0,1}, to_apply=k }
    ENTRY e { a = f32[512,512] parameter(0) b = f32[512,512] parameter(1)
      ROOT x = f32[] fusion(a, b), kind=kOutput, calls=f })");
  ASSERT_TRUE(parsed.ok());
  const ProgramTraffic traffic = program_traffic(parsed.modules[0]);
  const TiledStep step = tiled_traffic(parsed.modules[0], traffic, 4096).steps.at(0);
  EXPECT_GT(step.bytes.lower, 2 * 512 * 512 * 4);
  EXPECT_FALSE(step.bytes.upper);
  EXPECT_FALSE(step.reason.empty());
}

TEST(OnChip, AStepThatReadsEachElementOnceNeedsNoTile) {
  const ParsedModules parsed =
      parse_hlo("ENTRY e { a = f32[100,100] parameter(0) ROOT n = f32[100,100] negate(a) }");
  ASSERT_TRUE(parsed.ok());
  const ProgramTraffic traffic = program_traffic(parsed.modules[0]);
  const TiledProgram tiled = tiled_traffic(parsed.modules[0], traffic, 64);
  ASSERT_EQ(tiled.steps.size(), 1U);
  EXPECT_TRUE(tiled.steps[0].bytes.exact());
  EXPECT_EQ(tiled.steps[0].bytes.lower, 80000);
  EXPECT_FALSE(tiled.steps[0].tile);
  EXPECT_EQ(tiled.bytes.lower, 80000);
}

}  // namespace
}  // namespace tessera::detail
