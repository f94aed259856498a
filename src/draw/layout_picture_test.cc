// SPDX-License-Identifier: Apache-2.0
#include "tessera/draw/layout_picture.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "laws/picture_laws.h"
#include "tessera/notation/layout.h"

namespace tessera::layout_picture_test {
namespace {

using laws::any;

Picture draw(std::string_view text, const PictureOptions& options = {}) {
  const Result<Picture> picture = picture_of(view_of(any(text), std::string(text)), options);
  EXPECT_TRUE(picture.has_value()) << (picture ? "" : to_string(picture.error()));
  return picture ? *picture : Picture{};
}

Diagnostic refused(std::string_view text, const PictureOptions& options) {
  const Result<Picture> picture = picture_of(view_of(any(text), std::string(text)), options);
  EXPECT_FALSE(picture.has_value());
  return picture ? Diagnostic{} : picture.error();
}

constexpr const char* kLayouts[] = {"f32[]",
                                    "f32[7]",
                                    "f32[100]",
                                    "f32[3,5]{1,0:T(2,2)}",
                                    "bf16[16,256]{1,0:T(8,128)(2,1)}",
                                    "f32[3,5]{1,0:T(8,128)}",
                                    "f32[2,3,4,5]{0,3,1,2}",
                                    "f32[5]{0:T(4)(3)}",
                                    "(8,8):(8,1)",
                                    "((2,2),(2,4)):((1,8),(2,16))",
                                    "((2,2),(2,3)):((2,12),(1,4)) crop (3,5)",
                                    "(4,8):(-8,1)",
                                    "(4,8):(0,1)",
                                    "((2,(2,3)),4):((1,(8,2)),96)",
                                    "12:5",
                                    "(1,1)",
                                    "Sw<3,0,3> o _0 o (8,8):(8,1)",
                                    "np:(6,8):(1,6) + 7",
                                    "mor:6x8:[1, 0, 1 p(4)]",
                                    "mor:4x8:[0, 1 oe(8)]",
                                    "ll:d0:1,16 d1:2,4,8",
                                    "ll:d0:3,6,12 d1:16,32",
                                    "map:(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]"};

TEST(IndexView, HasEachElementOnceAtItsOffset) {
  for (const char* text : kLayouts) EXPECT_EQ(laws::check_index_view(any(text)), "") << text;
}

TEST(MemoryView, HasEachOffsetOnceWithWhatLiesThere) {
  for (const char* text : kLayouts) EXPECT_EQ(laws::check_memory_view(any(text)), "") << text;
}

TEST(Views, ShowRandomLayouts) {
  constexpr unsigned kSeed = 20260701;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const auto up_to = [&](unsigned n) { return static_cast<Index>(random() % n); };
  for (int i = 0; i < 200; ++i) {
    std::vector<Index> shape;
    std::vector<Index> strides;
    const Index rank = 1 + up_to(3);
    for (Index d = 0; d < rank; ++d) {
      shape.push_back(1 + up_to(7));
      strides.push_back(up_to(24) - 8);
    }
    const Result<Layout> layout = Layout::make(Strides{shape, strides, up_to(9)});
    ASSERT_TRUE(layout.has_value());
    EXPECT_EQ(laws::check_index_view(*layout), "") << to_string(*layout);
    EXPECT_EQ(laws::check_memory_view(*layout), "") << to_string(*layout);
  }
}

TEST(Views, FitEveryDensityAndEveryText) {
  for (const char* text :
       {"f32[16,16]", "f32[40,41]", "f32[64,64]", "f32[128,128]", "f32[256,256]", "f32[2,200]", "f32[200,2]",
        "((2,64),(4,4)):((1,2),(128,512))", "f32[3,3,3,3]", "(3,3):(1000000000,-1)"}) {
    for (const CellText cells : {CellText::automatic, CellText::both, CellText::natural, CellText::none}) {
      EXPECT_EQ(laws::check_scene(draw(text, {.cell_text = cells})), "") << text;
    }
  }
}

TEST(Views, KeepLongTitlesInside) {
  const std::string text = "(2,2,2,2,2,2,2,2):(1,2,4,8,16,32,64,128)";
  Picture picture = draw("(2,2)");
  picture.title = text + text + text;
  picture.notes = {text + " " + text};
  EXPECT_EQ(laws::check_scene(picture), "");
}

// Rows and columns are CuTe's first two modes, or the last two dimensions of other notations.
TEST(IndexView, SlicesWhatHasMoreThanTwoDimensions) {
  const Picture cute = draw("(2,3,4)");
  ASSERT_EQ(cute.panels.size(), 4u);
  EXPECT_EQ(cute.panels[1].caption, "mode 2 = 1");
  EXPECT_EQ(cute.panels[1].rows, 2);
  const Picture xla = draw("f32[2,3,4]");
  ASSERT_EQ(xla.panels.size(), 2u);
  EXPECT_EQ(xla.panels[1].caption, "d0 = 1");
  EXPECT_EQ(xla.panels[1].columns, 4);
}

TEST(IndexView, ShowsNestedCoordinatesOnTheAxes) {
  const Picture picture = draw("((2,2),(2,4)):((1,8),(2,16))");
  const Axis& columns = picture.panels[0].column_axis;
  ASSERT_EQ(columns.levels.size(), 3u);
  EXPECT_EQ(columns.levels[0][1], (AxisLabel{2, 4, "1"}));
  EXPECT_EQ(columns.levels[1][3], (AxisLabel{3, 4, "1"}));
  EXPECT_EQ(columns.levels[2][3], (AxisLabel{3, 4, "3"}));
  EXPECT_EQ(columns.cuts, (std::vector<int>{1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(draw("((2,2),(2,4)):((1,8),(2,16))", {.cell_text = CellText::natural}).panels[0].row(3)[5].text,
            "(1,1),(1,2)");
}

TEST(IndexView, DrawsTilesOfTilesThicker) {
  const Picture picture = draw("bf16[16,256]{1,0:T(8,128)(2,1)}");
  const std::vector<int>& rows = picture.panels[0].row_axis.cuts;
  EXPECT_EQ(std::vector<int>(rows.begin(), rows.begin() + 9), (std::vector<int>{2, 0, 1, 0, 1, 0, 1, 0, 2}));
}

TEST(IndexView, DrawsAWindow) {
  const Picture picture = draw("bf16[1048576,1048576]{1,0:T(8,128)(2,1)}", {.window = {{8, 10}, {127, 129}}});
  const Panel& panel = picture.panels[0];
  EXPECT_EQ(panel.rows, 2);
  EXPECT_EQ(panel.row(0)[1].coordinate, "8,128");
  EXPECT_EQ(panel.row(0)[1].offset, 8388608 + 1024);
  EXPECT_EQ(panel.column_axis.levels[0][1].text, "128");
  EXPECT_EQ(panel.column_axis.cuts, (std::vector<int>{0, 1, 0}));
}

TEST(Views, RefuseWhatIsTooLargeAndSayWhatFits) {
  const Diagnostic large = refused("f32[4096,4096]", {});
  EXPECT_EQ(large.code, Code::limit);
  EXPECT_EQ(large.help, "draw a part: --window 0:64,0:64");
  EXPECT_EQ(refused("f32[4096,4096]", {.view = View::memory}).code, Code::limit);
  EXPECT_EQ(refused("f32[4,4]", {.window = {{0, 5}}}).code, Code::index_out_of_range);
  EXPECT_EQ(refused("f32[4,4]", {.window = {{2, 2}}}).code, Code::index_out_of_range);
  EXPECT_EQ(refused("f32[4]", {.window = {{0, 1}, {0, 1}}}).code, Code::value_count);
  EXPECT_EQ(refused("f32[4,4]", {.view = View::memory, .window = {{9, 17}}}).code, Code::index_out_of_range);
}

TEST(Colors, OfBanksFollowTheBytesOfAnElement) {
  const auto banks = [](Index bits) {
    const Picture picture = draw("(8,8):(8,1)", {.color_by = Coloring::bank, .bits = bits});
    std::vector<int> colors;
    for (const Cell& cell : picture.panels[0].cells) colors.push_back(cell.color);
    return colors;
  };
  for (const Index bits : {8, 16, 32, 64, 128}) {
    const std::vector<int> colors = banks(bits);
    for (Index i = 0; i < 64; ++i) EXPECT_EQ(colors[static_cast<std::size_t>(i)], i * bits / 32 % 32) << bits;
  }
  // The largest possible offsets: no intermediate result overflows.
  const Picture far = draw("np:(2):(4611686018427387902)", {.color_by = Coloring::bank, .bits = 128});
  EXPECT_EQ(far.panels[0].row(0)[1].color, (4611686018427387902 % 8) * 4);
}

// Eight rows of eight 4-byte words: a column touches four banks without the swizzle, eight with it.
TEST(Colors, OfBanksShowWhatASwizzleIsFor) {
  const auto banks_of_column = [](const char* text) {
    const Picture picture = draw(text, {.color_by = Coloring::bank});
    std::set<int> banks;
    for (Index row = 0; row < 8; ++row) banks.insert(picture.panels[0].row(row)[0].color);
    return banks.size();
  };
  EXPECT_EQ(banks_of_column("(8,8):(8,1)"), 4u);
  EXPECT_EQ(banks_of_column("Sw<3,0,3> o _0 o (8,8):(8,1)"), 8u);
}

TEST(Colors, OfTilesDifferBetweenNeighbors) {
  for (const char* text : {"f32[12,20]{1,0:T(2,2)}", "f32[4,4]{1,0:T(2,2)}", "f32[64,64]{1,0:T(8,4)}"}) {
    const Picture picture = draw(text, {.color_by = Coloring::tile});
    const Panel& panel = picture.panels[0];
    const auto step = [](const Axis& axis, Index at) { return axis.cuts[static_cast<std::size_t>(at)] > 0; };
    for (Index r = 1; r < panel.rows; ++r) {
      for (Index c = 1; c < panel.columns; ++c) {
        const bool row = step(panel.row_axis, r);
        const bool column = step(panel.column_axis, c);
        EXPECT_EQ(panel.row(r)[c].color != panel.row(r - 1)[c].color, row) << text;
        EXPECT_EQ(panel.row(r)[c].color != panel.row(r)[c - 1].color, column) << text;
        EXPECT_EQ(panel.row(r)[c].color != panel.row(r - 1)[c - 1].color, row || column) << text;
      }
    }
  }
}

TEST(LinkedViews, GiveAnElementOneColor) {
  const Layout layout = any("f32[3,5]{1,0:T(2,2)}");
  const Result<Picture> picture = linked_views(view_of(layout, "x"));
  ASSERT_TRUE(picture.has_value());
  ASSERT_EQ(picture->panels.size(), 2u);
  EXPECT_EQ(laws::check_picture(*picture), "");
  EXPECT_EQ(laws::check_scene(*picture), "");
  std::map<Index, int> colors;
  for (const Cell& cell : picture->panels[0].cells) {
    if (cell.link >= 0) colors[cell.link] = cell.color;
  }
  EXPECT_EQ(colors.size(), 15u);
  for (const Cell& cell : picture->panels[1].cells) {
    if (cell.link >= 0) {
      EXPECT_EQ(cell.color, colors[cell.link]);
    }
  }
}

TEST(Comparison, MarksWhatDiffers) {
  const Result<Picture> picture =
      comparison_of(view_of(any("(8,8):(8,1)"), "A"), view_of(any("Sw<3,0,3> o _0 o (8,8):(8,1)"), "B"));
  ASSERT_TRUE(picture.has_value());
  ASSERT_EQ(picture->panels.size(), 2u);
  EXPECT_EQ(laws::check_scene(*picture), "");
  for (std::size_t i = 0; i < 64; ++i) {
    const Cell& a = picture->panels[0].cells[i];
    const Cell& b = picture->panels[1].cells[i];
    EXPECT_EQ(a.coordinate, b.coordinate);
    EXPECT_EQ(a.marked, a.offset != b.offset);
    EXPECT_EQ(b.marked, a.marked);
  }
  EXPECT_EQ(picture->notes, (std::vector<std::string>{"56 of 64 offsets differ: at (1,0) 8 and 9"}));
}

TEST(Comparison, OfEqualLayoutsInTwoNotationsSaysSo) {
  const Result<Picture> picture = comparison_of(view_of(any("f32[3,5]{1,0:T(2,2)}"), "A"),
                                                view_of(any("((2,2),(2,3)):((2,12),(1,4)) crop (3,5)"), "B"));
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->notes, (std::vector<std::string>{"all 15 offsets are equal"}));
  const Result<Picture> other = comparison_of(view_of(any("f32[3,5]"), "A"), view_of(any("f32[5,3]"), "B"));
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, Code::different_shape);
}

// Threads (2,3):(3,1) with values (2,2):(2,1): thread 0 owns the first 2 by 2 block of a 4 by 6 tile.
TEST(ThreadValue, ShowsWhoOwnsWhat) {
  const Result<Picture> picture =
      thread_value_picture(view_of(any("((3,2),(2,2)):((8,2),(4,1))"), "tv"), {4, 6});
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(laws::check_picture(*picture), "");
  EXPECT_EQ(laws::check_scene(*picture), "");
  const Panel& panel = picture->panels[0];
  EXPECT_EQ(panel.row(0)[0].text, "T0V0");
  EXPECT_EQ(panel.row(0)[1].text, "T0V1");
  EXPECT_EQ(panel.row(1)[0].text, "T0V2");
  EXPECT_EQ(panel.row(1)[1].text, "T0V3");
  EXPECT_EQ(panel.row(0)[2].text, "T1V0");
  EXPECT_EQ(panel.row(2)[0].text, "T3V0");
  EXPECT_EQ(panel.row(3)[5].text, "T5V3");
}

TEST(ThreadValue, CountsOwnersAndFindsWhatNobodyOwns) {
  const Result<Picture> picture = thread_value_picture(view_of(any("(4,2):(0,1)"), "tv"), {3});
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->panels[0].cells[0].text, "T0V0|T1V0|T2V0|T3V0");
  EXPECT_EQ(picture->panels[0].cells[2].kind, Cell::Kind::padding);
  EXPECT_TRUE(picture->notes.empty());
  const Result<Picture> many = thread_value_picture(view_of(any("(16,2):(0,1)"), "tv"), {2});
  ASSERT_TRUE(many.has_value());
  EXPECT_TRUE(many->panels[0].cells[1].text.ends_with("|T7V1+8"));
  EXPECT_EQ(many->notes,
            (std::vector<std::string>{"2 elements have more than 8 owners; the first are shown"}));
  const auto code = [](const char* text, std::vector<Index> tile) {
    const Result<Picture> refusal = thread_value_picture(view_of(any(text), "tv"), std::move(tile));
    return refusal ? Code::syntax : refusal.error().code;
  };
  EXPECT_EQ(code("(4,2):(2,1)", {2, 3}), Code::shape_mismatch);
  EXPECT_EQ(code("8:1", {8}), Code::rank_mismatch);
  EXPECT_EQ(code("(4,2):(2,1)", {2, 2, 2}), Code::rank_mismatch);
  EXPECT_EQ(code("(4,2):(2,1)", {0, 8}), Code::bad_extent);
  EXPECT_EQ(code("(4,2):(2,1)", {4096, 4096}), Code::limit);
}

TEST(Window, IsReadAsRangesOfEachDimension) {
  const auto window = [](std::string_view text) {
    return parse_window(text).value_or(std::vector<IndexRange>{});
  };
  EXPECT_EQ(window("0:16,3,8:"), (std::vector<IndexRange>{{0, 16}, {3, 4}, {8, kIndexMax}}));
  EXPECT_EQ(window(":4"), (std::vector<IndexRange>{{0, 4}}));
  for (const char* text : {"", "a", "1:2:3", "1,", "-1:2", "1:x", "9223372036854775808"}) {
    EXPECT_FALSE(parse_window(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tessera::layout_picture_test
