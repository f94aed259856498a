// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/axis_expression.h"

#include <gtest/gtest.h>

#include "reshard/pieces/piece_map.h"
#include "reshard/pieces/pieces.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

AxisSizes llama() {
  AxisSizes sizes;
  for (const auto& [name, size] : {std::pair{"t", 2}, {"gi", 2}, {"h", 3}, {"d", 4}, {"n", 5}}) {
    EXPECT_TRUE(sizes.add(name, Index{size}));
  }
  EXPECT_TRUE(sizes.add("g", std::string_view("(t gi)")));
  return sizes;
}

TEST(AxisExpression, LowersToOneMapForEachPiece) {
  AxisSizes sizes = llama();
  const auto fused = parse_axis_expression("t @ [(q: gi h d | k: gi d) n]", sizes);
  ASSERT_TRUE(fused);
  EXPECT_EQ(to_string(*fused), "t @ [(q: gi h d | k: gi d) n]");
  EXPECT_EQ(fused->shape(), (std::vector<Index>{32, 5}));
  EXPECT_EQ(place_count(*fused, sizes), 2);
  const auto maps = lower(*fused, sizes);
  ASSERT_TRUE(maps);
  ASSERT_EQ(maps->size(), 2U);
  EXPECT_EQ((*maps)[0].piece, "q");
  // Axes d, gi, h, n, t.
  EXPECT_EQ(
      to_string(to_index_map((*maps)[0])),
      "(d0, d1, d2, d3, d4) -> (d4, d0 + d1 * 12 + d2 * 4, d3), domain: d0 in [0, 3], d1 in [0, 1], d2 in "
      "[0, 2], d3 in [0, 4], d4 in [0, 1]");
  // Axes d, gi, n, t.
  EXPECT_EQ(to_string(to_index_map((*maps)[1])),
            "(d0, d1, d2, d3) -> (d3, d0 + d1 * 4 + 24, d2), domain: d0 in [0, 3], d1 in [0, 1], d2 in [0, "
            "4], d3 in "
            "[0, 1]");
}

TEST(AxisExpression, ShowsTheRunsOfPieces) {
  AxisSizes sizes = llama();
  const auto striped = parse_axis_expression("[(g (q: h d | k: d | _=1)) n]", sizes);
  ASSERT_TRUE(striped);
  const auto runs = piece_runs(*striped, 0);
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 12U);
  EXPECT_EQ((*runs)[0], (PieceRun{0, 12, "q"}));
  EXPECT_EQ((*runs)[2], (PieceRun{16, 1, "_"}));
  EXPECT_EQ((*runs)[3], (PieceRun{17, 12, "q"}));
}

TEST(AxisExpression, RefusesAtTheRightPlace) {
  AxisSizes sizes = llama();
  const auto twice = parse_axis_expression("[(g h) gi]", sizes);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Code::duplicate_name);
  EXPECT_EQ(twice.error().message, "axis 'gi' occurs twice");
  EXPECT_EQ(twice.error().span, (Span{7, 9}));
  const auto unknown = parse_axis_expression("[h zz]", sizes);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::unknown_name);
  EXPECT_EQ(unknown.error().span, (Span{3, 5}));
  // A fuzzer found that padding before @ was read as an axis without a name, and not printed.
  const auto padding = parse_axis_expression("h _=4 @ [g]", sizes);
  ASSERT_FALSE(padding);
  EXPECT_EQ(padding.error().code, Code::syntax);
  EXPECT_EQ(padding.error().span, (Span{2, 5}));
}

TEST(Pieces, NamesWhatIsMissing) {
  AxisSizes sizes = llama();
  const auto tensor = [&](const char* name, const char* text) {
    return PieceTensor{name, *parse_axis_expression(text, sizes), {}};
  };
  const auto missing =
      PieceMatch::make({tensor("q", "q: [(g h d) n]")}, {tensor("qk", "[(q: g h d | k: g d) n]")}, sizes);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().reason, "not_covered");
  EXPECT_EQ(missing.error().message, "piece 'k' of 'qk' has no source");
  const auto unused =
      PieceMatch::make({tensor("qk", "[(q: g h d | k: g d) n]")}, {tensor("q", "q: [(g h d) n]")}, sizes);
  ASSERT_FALSE(unused);
  EXPECT_EQ(unused.error().reason, "unused_source");
  const auto axes = PieceMatch::make({tensor("w", "[g n]")}, {tensor("w", "[g d n]")}, sizes);
  ASSERT_FALSE(axes);
  EXPECT_EQ(axes.error().message, "only the target of the piece without a name has the axis 'd'");
}

TEST(Pieces, NamesThePartsThatBothSidesHaveInCommon) {
  AxisSizes sizes;
  for (const auto& [name, size] :
       {std::pair("s", 2), std::pair("gs", 12), std::pair("t", 4), std::pair("gt", 6), std::pair("p", 3),
        std::pair("gp", 8), std::pair("n", 5)})
    ASSERT_TRUE(sizes.add(name, Index{size}));
  const auto refused = [&](const char* from, const char* to, PieceCopies copies) {
    return PieceMatch::make({{"w", *parse_axis_expression(from, sizes), {}}},
                            {{"w", *parse_axis_expression(to, sizes), {}}}, sizes, std::move(copies))
        .error();
  };
  EXPECT_EQ(
      refused("s @ [gs n]", "t @ [gt n]", {}).help,
      "if both sides cut the same range, it is (s u gt): \"axes\": {\"gs\": \"(u gt)\", \"t\": \"(s u)\", "
      "\"u\": 2}");
  EXPECT_EQ(refused("s @ [gs n]", "p @ [gp n]", {}).notes.size(), 1u);  // 2 and 3 have no common parts
  EXPECT_EQ(
      refused("[n s]", "[n]", {}).help,
      "name it in the target too; if the source has a copy of everything for each value, \"copies\": {\"\": "
      "[\"s\"]}: the copies are compared before anything is written");
  EXPECT_EQ(refused("[n s]", "[n s]", {{"", {"s"}}}).code, Code::bad_option);
  EXPECT_EQ(refused("[n s]", "[n]", {{"", {"t"}}}).code, Code::unknown_name);
  EXPECT_EQ(refused("[n s]", "[n]", {{"q", {"s"}}}).code, Code::unknown_name);
}

}  // namespace
}  // namespace tessera
