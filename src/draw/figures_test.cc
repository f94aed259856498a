// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "laws/cute_layouts.h"
#include "laws/picture_laws.h"
#include "tessera/draw/layout_picture.h"

namespace tessera {
namespace {

using laws::tiler_of;

StridedLayout L(std::string_view text) { return laws::L(text); }
ComposedLayout chain(std::string_view text) { return parse_cute_expression(text).value().layout; }

Picture shown(const Result<Picture>& picture) {
  EXPECT_TRUE(picture.has_value()) << (picture ? "" : to_string(picture.error()));
  if (!picture) return {};
  EXPECT_EQ(laws::check_picture(*picture), "");
  EXPECT_EQ(laws::check_scene(*picture), "");
  // Linked cells have the same color in all panels.
  std::map<Index, int> colors;
  for (const Panel& panel : picture->panels) {
    for (const Cell& cell : panel.cells) {
      if (cell.link < 0 || cell.color < 0) continue;
      EXPECT_EQ(colors.emplace(cell.link, cell.color).first->second, cell.color) << cell.coordinate;
    }
  }
  return *picture;
}

TEST(DivideFigure, GivesATileOneColorInBothPanels) {
  for (const auto& [layout, tiler] :
       std::vector<std::pair<const char*, const char*>>{{"(8,8):(8,1)", "<4,2>"},
                                                        {"(8,8):(8,1)", "<2:4,2:1>"},
                                                        {"16:1", "4:2"},
                                                        {"((2,4),(4,4)):((1,8),(2,32))", "<4,8>"},
                                                        {"Sw<3,0,3> o _0 o (8,8):(8,1)", "<4,2>"},
                                                        {"Sw<2,1,3> o _5 o (8,12):(12,1)", "<2,4>"},
                                                        // Regression: tiles that overhang a mode other than
                                                        // the last one drew cells of the next mode twice.
                                                        {"(8,12):(12,1)", "<3,4>"},
                                                        {"(8,12):(1,8)", "<3:2,5>"},
                                                        {"((2,5),7):((1,2),10)", "<<3,2>,4>"},
                                                        {"((2,5),7):((1,2),10)", "<4,_>"},
                                                        {"(1,12):(0,1)", "<2,5>"},
                                                        {"(8,12):(1,8)", "5:1"}}) {
    const Picture picture = shown(divide_figure(chain(layout), tiler_of(tiler)));
    ASSERT_EQ(picture.panels.size(), 2u);
    // Linked cells have the same offset: the division reorders elements, not memory.
    std::map<Index, Index> offsets;
    for (const Cell& cell : picture.panels[0].cells) offsets[cell.link] = *cell.offset;
    EXPECT_EQ(static_cast<Index>(offsets.size()), chain(layout).size());
    Index linked = 0;
    for (const Cell& cell : picture.panels[1].cells) {
      if (cell.link < 0) continue;
      ++linked;
      EXPECT_EQ(offsets.at(cell.link), *cell.offset) << layout << " " << tiler;
    }
    EXPECT_EQ(linked, chain(layout).size());
  }
}

TEST(DivideFigure, ShowsWhatTheLastTileHasTooMuch) {
  const Picture picture = shown(divide_figure(chain("10:1"), tiler_of("4:1")));
  Index padding = 0;
  for (const Cell& cell : picture.panels[1].cells) padding += cell.kind == Cell::Kind::padding ? 1 : 0;
  EXPECT_EQ(padding, 2);
}

TEST(CompositionFigure, LeadsFromBThroughA) {
  const Picture picture = shown(composition_figure(chain("(4,6):(6,1)"), L("(2,3):(2,4)")));
  ASSERT_EQ(picture.panels.size(), 3u);
  std::map<Index, Index> through;
  for (const Cell& cell : picture.panels[1].cells) {
    if (cell.link >= 0) through[cell.link] = *cell.offset;
  }
  EXPECT_EQ(through.size(), 6u);
  for (const Cell& cell : picture.panels[2].cells) EXPECT_EQ(through.at(cell.link), *cell.offset);
}

TEST(ProductFigure, ColorsTheCopies) {
  const Picture picture = shown(product_figure(chain("(2,2):(2,1)"), L("(2,3):(3,1)")));
  ASSERT_EQ(picture.panels.size(), 4u);
  std::map<Index, Index> offsets;
  for (const Cell& cell : picture.panels[2].cells) offsets[cell.link] = *cell.offset;
  for (const Cell& cell : picture.panels[3].cells) EXPECT_EQ(offsets.at(cell.link), *cell.offset);
  EXPECT_EQ(shown(product_figure(chain("4:1"), L("3:1"))).panels.size(), 3u);
}

TEST(Figures, TakeSwizzledLayouts) {
  // Operations change only the last layout of a chain, so the swizzle stays outside.
  EXPECT_EQ(shown(divide_figure(chain("Sw<3,0,3> o _0 o (8,8):(8,1)"), tiler_of("<4,2>"))).panels[1].caption,
            "Sw<3,0,3> o _0 o ((4,2),(2,4)):((8,1),(32,2))");
  const Picture composed = shown(composition_figure(chain("Sw<3,0,3> o _0 o (8,8):(8,1)"), L("(2,4):(1,8)")));
  EXPECT_EQ(composed.panels[2].caption, "A o B = Sw<3,0,3> o _0 o (2,4):(8,1)");
  std::map<Index, Index> through;
  for (const Cell& cell : composed.panels[1].cells) {
    if (cell.link >= 0) through[cell.link] = *cell.offset;
  }
  for (const Cell& cell : composed.panels[2].cells) EXPECT_EQ(through.at(cell.link), *cell.offset);
  EXPECT_EQ(shown(product_figure(chain("Sw<1,0,1> o _0 o (2,2):(2,1)"), L("(2,2):(2,1)"))).panels.size(), 4u);
}

TEST(Figures, RefuseAsTheOperationDoes) {
  const auto code = [](const Result<Picture>& picture) {
    return picture ? Code::syntax : picture.error().code;
  };
  EXPECT_EQ(code(composition_figure(chain("(4,6,8):(2,3,5)"), L("6:3"))), Code::not_representable);
  EXPECT_EQ(code(divide_figure(chain("(4,6):(6,1)"), tiler_of("<2,2,2>"))), Code::rank_mismatch);
  EXPECT_EQ(code(divide_figure(chain("(4,5):(1@0,1@1)"), tiler_of("<2,5>"))), Code::unsupported_codomain);
  EXPECT_EQ(code(divide_figure(chain("(4096,4096):(1,4096)"), tiler_of("<2,2>"))), Code::limit);
}

}  // namespace
}  // namespace tessera
