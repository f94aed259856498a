// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/render_json.h"
#include "draw/render_svg.h"
#include "draw/text_lines.h"
#include "laws/picture_laws.h"
#include "tessera/draw/picture.h"

namespace tessera::render_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Picture draw(std::string_view text, const PictureOptions& options = {}) {
  return *picture_of(view_of(laws::any(text), std::string(text)), options);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Text, HasLinesOfOneWidthAndNoBlanksAtTheirEnds) {
  for (const char* text :
       {"f32[3,5]{1,0:T(2,2)}", "((2,2),(2,4)):((1,8),(2,16))", "(4,8):(-8,1)", "f32[100]"}) {
    for (const bool ascii : {false, true}) {
      std::vector<Index> widths;
      const std::string shown = render_text(draw(text), {.ascii = ascii});
      for (const std::string_view line : lines_of(shown)) {
        EXPECT_FALSE(line.ends_with(' ')) << shown;
        if (line.ends_with("│") || line.ends_with("|")) widths.push_back(text_width(line));
        if (ascii) {
          EXPECT_EQ(static_cast<std::size_t>(text_width(line)), line.size());
        }
      }
      ASSERT_FALSE(widths.empty());
      for (const Index width : widths) EXPECT_EQ(width, widths.front()) << shown;
    }
  }
}

TEST(Text, EndsEveryColorItBegins) {
  const std::string shown = render_text(draw("f32[8,8]"), {.colors = ColorDepth::truecolor});
  EXPECT_GE(count(shown, "\x1b[48;2;"), 64u);
  for (const std::string_view line : lines_of(shown)) {
    const std::size_t last = line.rfind('\x1b');
    if (last != std::string_view::npos) {
      EXPECT_TRUE(line.substr(last).starts_with("\x1b[0m")) << line;
    }
  }
  EXPECT_THAT(render_text(draw("f32[8,8]")), Not(HasSubstr("\x1b")));
}

TEST(Text, PutsPanelsBelowEachOtherWhereTheLineIsShort) {
  const Picture picture = draw("f32[2,2,8]");
  EXPECT_EQ(count(render_text(picture, {.width = 100}), "┌"), 2u);
  EXPECT_LT(lines_of(render_text(picture, {.width = 100})).size(),
            lines_of(render_text(picture, {.width = 40})).size());
}

TEST(Svg, HasEachCellWithItsTooltip) {
  const std::string svg = render_svg(draw("f32[3,5]{1,0:T(2,2)}"));
  EXPECT_EQ(count(svg, "<title>("), 24u);
  EXPECT_THAT(svg, HasSubstr("<title>(2,3) at offset 17</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>(3,5) at offset 23: padding</title>"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(render_svg(draw("f32[2]"), ThemeChoice::light), Not(HasSubstr("prefers-color-scheme")));
}

TEST(Svg, EscapesWhatXmlDoesNotTake) {
  EXPECT_EQ(detail::xml_escaped("a<b>&\"'\x01"), "a&lt;b&gt;&amp;&quot;&#39;\xef\xbf\xbd");
  const std::string svg = render_svg(draw("Sw<1,0,2> o _0 o (4,4):(4,1)"));
  EXPECT_THAT(svg, HasSubstr("Sw&lt;1,0,2&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("Sw<")));
}

TEST(Svg, OfManyCellsLeavesTextAway) {
  EXPECT_THAT(render_svg(draw("f32[128,128]")), Not(HasSubstr(">16383</text></g>")));
  EXPECT_THAT(render_svg(draw("f32[128,128]", {.cell_text = CellText::offset})),
              HasSubstr(">16383</text></g>"));
}

TEST(Html, NeedsNothingFromOutside) {
  const std::string page = render_html(draw("f32[3,5]{1,0:T(2,2)}"), {{"<name>", "a & b"}});
  EXPECT_EQ(count(page, "http"), 1u);  // SVG's namespace
  EXPECT_THAT(page, HasSubstr("xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("url(http")));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">&lt;name&gt;</th><td>a &amp; b</td>"));
  EXPECT_EQ(count(page, "data-k="), 24u);
  EXPECT_EQ(count(page, "aria-live="), 1u);
}

TEST(Tikz, OpensAndClosesItsGroups) {
  Picture picture = draw("f32[3,5]{1,0:T(2,2)}");
  picture.notes = {"100 % of a_b & {c} \\ $d$ #1 ^2 ~ < >"};
  const std::string tex = render_tikz(picture);
  EXPECT_THAT(tex,
              HasSubstr("100 \\% of a\\_b \\& \\{c\\} \\textbackslash{} \\$d\\$ \\#1 \\textasciicircum{}2"));
  EXPECT_EQ(count(tex, "\\begin{"), count(tex, "\\end{"));
  int open = 0;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    if (tex[i] == '\\') {
      ++i;
    } else if (tex[i] == '{') {
      ++open;
    } else if (tex[i] == '}') {
      ASSERT_GE(--open, 0);
    }
  }
  EXPECT_EQ(open, 0);
  for (const char c : tex) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

// Without cairo, the message says what to do instead.
TEST(Png, IsAPictureOrSaysWhyNot) {
  const Result<std::string> png = render_png(draw("f32[3,5]{1,0:T(2,2)}"));
  if (!png) {
    EXPECT_EQ(png.error().code, Code::bad_option);
    EXPECT_THAT(png.error().help, HasSubstr(".svg"));
    return;
  }
  EXPECT_TRUE(png->starts_with("\x89PNG\r\n\x1a\n"));
  const auto number = [&](std::size_t at) {
    Index value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>((*png)[at + i]);
    return value;
  };
  const detail::Scene scene = detail::scene_of(draw("f32[3,5]{1,0:T(2,2)}"));
  EXPECT_EQ(number(16), static_cast<Index>(2 * scene.width));
  EXPECT_EQ(number(20), static_cast<Index>(2 * scene.height));
}

TEST(Png, OfAVeryLargePictureIsMadeSmaller) {
  const Result<std::string> png = render_png(draw("f32[2,32768]", {.cell_text = CellText::none}));
  if (!png) {
    EXPECT_EQ(png.error().code, Code::bad_option);
  }
}

TEST(Json, OfShowHasTheSchemaFirst) {
  const LayoutFacts facts = facts_of(laws::any("f32[3,5]{1,0:T(2,2)}"));
  const std::string json = detail::show_json(&facts, nullptr);
  EXPECT_TRUE(
      json.starts_with("{\"schema\":\"tessera.show/1\",\"status\":0,\"layout\":\"xla:f32[3,5]{1,0:T(2,2)}\""))
      << json;
  EXPECT_THAT(json, Not(HasSubstr("picture")));
  const Picture picture = draw("f32[2,2]");
  EXPECT_THAT(detail::show_json(nullptr, &picture), HasSubstr("\"picture\":{\"title\":\"f32[2,2]\""));
}

}  // namespace
}  // namespace tessera::render_test
