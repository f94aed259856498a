// SPDX-License-Identifier: Apache-2.0
#include "draw/cell_table.h"

#include <gtest/gtest.h>

#include <string>

#include "draw/limits.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

using detail::CellTable;

CellTable table_of(const char* text, PictureOptions options = {}) {
  const auto layout = parse_layout(text);
  EXPECT_TRUE(layout) << text;
  auto table = detail::cell_table(*layout, options);
  EXPECT_TRUE(table) << text << ": " << (table ? "" : table.error().message);
  return table ? *std::move(table) : CellTable{};
}

constexpr const char* kLayouts[] = {
    "f32[3,5]{1,0:T(2,2)}", "((2,2),(2,3)):((2,12),(1,4))", "(4,4):(0,1)", "Sw<2,0,2> o _0 o (4,8):(8,1)",
    "f32[300,200]{0,1}",    "6x8:[1, 0, 1 p(4)]",           "5:3",         "f32[7,130,140]"};

TEST(CellTableTest, EachCellOfTheIndexViewHasTheOffsetOfItsIndex) {
  for (const char* text : kLayouts) {
    const auto layout = *parse_layout(text);
    const CellTable table = table_of(text);
    std::size_t at = 0;
    for (Index r = 0; r < table.row_count; ++r) {
      for (Index c = 0; c < table.column_count; ++c, ++at) {
        if (table.kinds[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] != 'e') continue;
        const Index row = table.row_range.begin + r * table.step;
        const Index column = table.column_range.begin + c * table.step;
        std::vector<Index> index = table.fixed;
        if (table.row_dim < 0) {
          index[0] = row * table.columns + column;
        } else {
          index[static_cast<std::size_t>(table.row_dim)] = row;
          index[static_cast<std::size_t>(table.column_dim)] = column;
        }
        EXPECT_EQ(table.offsets[at], layout.offset(index)) << text;
      }
    }
    EXPECT_LE(std::ssize(table.offsets), detail::kDrawLimits.table_cells) << text;
  }
}

TEST(CellTableTest, OwnersOfTheMemoryViewAreThePreimagesOfTheOffset) {
  for (const char* text : kLayouts) {
    const auto layout = *parse_layout(text);
    const CellTable table = table_of(text, {.view = View::memory});
    for (std::size_t i = 0; i < table.offsets.size(); ++i) {
      if (table.owners[i] == 0) {
        EXPECT_TRUE(table.coordinates[i].empty()) << text;
        continue;
      }
      const auto found = indices_at(layout, table.offsets[i]);
      ASSERT_TRUE(found) << text;
      EXPECT_EQ(std::ssize(found->indices), table.owners[i]) << text << " at " << table.offsets[i];
    }
  }
}

TEST(CellTableTest, OwnersAreCountedOrSaidToBeMany) {
  const auto owners_of = [](const char* text) { return table_of(text, {.view = View::memory}).owners; };
  EXPECT_EQ(owners_of("(4,128):(1,0)"), std::vector<Index>(4, 128));
  EXPECT_EQ(owners_of("(2048,64):(1,0)"), std::vector<Index>(2048, 64));
  EXPECT_EQ(owners_of("(1024,65):(1,0)"), std::vector<Index>(1024, detail::kManyOwners));
}

TEST(CellTableTest, ColorsDoNotDependOnTheWindow) {
  const CellTable whole = table_of("f32[8,8]{0,1}");
  const CellTable part = table_of("f32[8,8]{0,1}", {.window = {{4, 8}, {2, 6}}});
  for (Index r = 0; r < part.row_count; ++r) {
    for (Index c = 0; c < part.column_count; ++c) {
      EXPECT_EQ(part.colors[static_cast<std::size_t>(r * part.column_count + c)],
                whole.colors[static_cast<std::size_t>((r + 4) * whole.column_count + c + 2)]);
    }
  }
}

TEST(CellTableTest, TheStepIsTheLeastWithFewEnoughCells) {
  // 2^62 elements in a row, and rows that are longer than their number.
  for (const char* text : {"4611686018427387904:1", "(2147483647,2147483647):(2147483647,1)",
                           "(3,1000000000000):(1000000000000,1)", "(128,128):(128,1)", "(128,129):(129,1)"}) {
    for (const View view : {View::index, View::memory}) {
      const CellTable table = table_of(text, {.view = view});
      const Index rows = table.row_range.end - table.row_range.begin;
      const Index columns = table.column_range.end - table.column_range.begin;
      EXPECT_LE(table.row_count * table.column_count, detail::kDrawLimits.table_cells) << text;
      EXPECT_EQ(std::ssize(table.offsets), table.row_count * table.column_count) << text;
      if (table.step == 1) continue;
      const Index before = table.step - 1;
      EXPECT_GT(ceil_div(rows, before) * ceil_div(columns, before), detail::kDrawLimits.table_cells) << text;
    }
  }
}

TEST(CellTableTest, AWindowOutsideTheLayoutIsRefused) {
  const auto layout = *parse_layout("(4,4):(4,1)");
  EXPECT_FALSE(detail::cell_table(layout, {.window = {{0, 9}}}));
  EXPECT_FALSE(detail::cell_table(layout, {.view = View::memory, .window = {{0, 1}, {0, 1}}}));
}

}  // namespace
}  // namespace tessera
