// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/layout_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>

namespace tessera::detail {
namespace {

constexpr unsigned kLayoutSeed = 20261130;

using DimensionOrder = std::array<Index, 3>;  // minor to major
using ThreeExtents = std::array<Index, 3>;

std::vector<DimensionOrder> all_dimension_orders() {
  std::vector<DimensionOrder> out;
  DimensionOrder order = {0, 1, 2};
  do out.push_back(order);
  while (std::ranges::next_permutation(order).found);
  return out;
}

Index offset_in_order(const ThreeExtents& extents, const DimensionOrder& order,
                      const std::array<Index, 3>& index) {
  Index out = 0;
  Index step = 1;
  for (const Index d : order) {
    out += index[d] * step;
    step *= extents[d];
  }
  return out;
}

// Whether each element of the transpose has the offset of its operand's, element by element.
bool is_same_order(const ThreeExtents& from, const DimensionOrder& from_order,
                   const DimensionOrder& dimensions, const ThreeExtents& to, const DimensionOrder& to_order) {
  for (Index i = 0; i < to[0]; ++i)
    for (Index j = 0; j < to[1]; ++j)
      for (Index k = 0; k < to[2]; ++k) {
        const std::array<Index, 3> index = {i, j, k};
        std::array<Index, 3> source = {};
        for (int d = 0; d < 3; ++d) source[dimensions[d]] = index[d];
        if (offset_in_order(from, from_order, source) != offset_in_order(to, to_order, index)) return false;
      }
  return true;
}

struct TransposedValue {
  ThreeExtents extents;
  DimensionOrder order;
  int source = -1;  // of a transpose
  DimensionOrder dimensions = {};
  bool choosable = false;
  Index lost = 0;
  Index traffic = 0;
};

// A tree of transposes of a few arrays, whose best layouts are found by trying all orders of all arrays.
TEST(LayoutChoice, SavesAsMuchAsTheBestOfAllOrders) {
  const std::vector<DimensionOrder> orders = all_dimension_orders();
  int groups_of_several = 0;
  int saved = 0;
  for (unsigned round = 0; round < 1500 && !HasFailure(); ++round) {
    std::mt19937 random(kLayoutSeed + round);
    const auto n = [&](Index low, Index high) {
      return std::uniform_int_distribution<Index>(low, high)(random);
    };
    SCOPED_TRACE(testing::Message() << "seed " << kLayoutSeed + round);
    std::vector<TransposedValue> values;
    std::string text = "ENTRY e {\n  p = f32[] parameter(0)\n";
    const auto type = [](const TransposedValue& v) {
      return fmt::format("f32[{}]{{{}}}", fmt::join(v.extents, ","), fmt::join(v.order, ","));
    };
    values.push_back({{n(1, 3), n(2, 3), n(2, 4)}, orders[n(0, 5)]});
    text += fmt::format("  v0 = {} broadcast(p), dimensions={{}}\n", type(values[0]));
    const int count = static_cast<int>(n(1, 4));
    for (int i = 1; i <= count; ++i) {
      TransposedValue v;
      v.source = static_cast<int>(n(0, i - 1));
      v.dimensions = orders[n(0, 5)];
      for (int d = 0; d < 3; ++d) v.extents[d] = values[v.source].extents[v.dimensions[d]];
      v.order = orders[n(0, 5)];
      v.traffic = n(1, 100);
      text += fmt::format("  v{} = {} transpose(v{}), dimensions={{{}}}\n", i, type(v), v.source,
                          fmt::join(v.dimensions, ","));
      values.push_back(v);
    }
    text += fmt::format("  ROOT r = {} negate(v{})\n}}\n", type(values.back()), count);
    const ParsedModules parsed = parse_hlo(text);
    ASSERT_TRUE(parsed.ok()) << text;
    const auto op = [&](int i) { return parsed.modules[0].entry->find(fmt::format("v{}", i)); };
    std::vector<ChoosableArray> arrays;
    std::vector<ChoosableMove> moves;
    std::vector<int> place(values.size(), -1);
    std::vector<int> of_move;
    for (int i = 1; i <= count; ++i) {
      const TransposedValue& v = values[i];
      if (is_same_order(values[v.source].extents, values[v.source].order, v.dimensions, v.extents, v.order)) {
        values[i].traffic = 0;  // moves nothing as written, and is not one of the moves
        continue;
      }
      if (place[v.source] < 0) {
        place[v.source] = static_cast<int>(arrays.size());
        values[v.source].choosable = true;
        values[v.source].lost = n(0, 2) == 0 ? n(0, 60) : 0;
        arrays.push_back({.maker = op(v.source), .lost = values[v.source].lost});
      }
      moves.push_back({.step = op(i),
                       .inner = op(i),
                       .source = static_cast<std::size_t>(place[v.source]),
                       .traffic = v.traffic});
      of_move.push_back(i);
    }
    const auto cost = [&](const std::vector<DimensionOrder>& chosen) {
      Index out = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const TransposedValue& v = values[i];
        if (v.choosable && chosen[i] != v.order) out += v.lost;
        if (v.traffic == 0) continue;
        if (!is_same_order(values[v.source].extents, chosen[v.source], v.dimensions, v.extents, chosen[i]))
          out += v.traffic;
      }
      return out;
    };
    std::vector<DimensionOrder> written;
    for (const TransposedValue& v : values) written.push_back(v.order);
    Index best = cost(written);
    const auto try_all = [&](auto&& self, std::size_t i, std::vector<DimensionOrder>& chosen) -> void {
      if (i == values.size()) {
        best = std::min(best, cost(chosen));
        return;
      }
      if (!values[i].choosable) return self(self, i + 1, chosen);
      for (const DimensionOrder& order : orders) {
        chosen[i] = order;
        self(self, i + 1, chosen);
      }
      chosen[i] = values[i].order;
    };
    std::vector<DimensionOrder> chosen = written;
    try_all(try_all, 0, chosen);
    Index gained = 0;
    for (const LayoutGroup& group : choose_layouts(arrays, moves)) {
      gained += group.saved - group.lost;
      groups_of_several += group.arrays.size() > 1 ? 1 : 0;
      EXPECT_TRUE(group.all_tried);
    }
    EXPECT_EQ(gained, cost(written) - best) << text;
    // The choice saves what the groups say.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (place[i] < 0) continue;
      const ChoosableArray& array = arrays[static_cast<std::size_t>(place[i])];
      const auto& order = array.layouts[array.chosen].layout->minor_to_major;
      std::ranges::copy(order, chosen[i].begin());
    }
    EXPECT_EQ(cost(written) - cost(chosen), gained) << text;
    for (std::size_t m = 0; m < moves.size(); ++m) {
      const TransposedValue& v = values[of_move[m]];
      EXPECT_EQ(moves[m].freed, is_same_order(values[v.source].extents, chosen[v.source], v.dimensions,
                                              v.extents, chosen[of_move[m]]));
    }
    saved += gained > 0 ? 1 : 0;
  }
  EXPECT_GT(groups_of_several, 50);
  EXPECT_GT(saved, 500);
}

// One group of as many arrays as a large program has: calls for each of them would fill the stack. No
// elements, so that nothing can be saved and the test is quick.
TEST(LayoutChoice, AGroupMayHaveManyArrays) {
  constexpr std::size_t kArrays = 90000;
  std::string text = "ENTRY e {\n  p = f32[] parameter(0)\n  v0 = f32[0,2] broadcast(p), dimensions={}\n";
  for (std::size_t i = 1; i <= kArrays; ++i) text += fmt::format("  v{} = f32[0,2] copy(v{})\n", i, i - 1);
  text += fmt::format("  ROOT r = f32[0,2] negate(v{})\n}}\n", kArrays);
  const ParsedModules parsed = parse_hlo(text);
  ASSERT_TRUE(parsed.ok());
  const auto& ops = parsed.modules[0].entry->instructions;
  std::vector<ChoosableArray> arrays;
  std::vector<ChoosableMove> moves;
  for (std::size_t i = 0; i < kArrays; ++i) {
    arrays.push_back({.maker = ops[i + 1].get()});
    moves.push_back({.step = ops[i + 2].get(), .inner = ops[i + 2].get(), .source = i, .traffic = 1});
  }
  EXPECT_TRUE(choose_layouts(arrays, moves).empty());
}

}  // namespace
}  // namespace tessera::detail
