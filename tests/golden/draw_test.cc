// SPDX-License-Identifier: Apache-2.0
// The pictures that every renderer writes: tests/golden/draw/NAME.
// TESSERA_REWRITE_GOLDEN=1 rewrites them; check the diff and the pictures before you commit.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "laws/cute_layouts.h"
#include "laws/picture_laws.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/draw/picture.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

Picture tiled() { return *picture_of(view_of(laws::any("f32[3,5]{1,0:T(2,2)}"), "f32[3,5]{1,0:T(2,2)}")); }
Picture nested() {
  return *picture_of(view_of(laws::any("((2,2),(2,2)):((1,4),(2,8))"), "((2,2),(2,2)):((1,4),(2,8))"),
                     {.cell_text = CellText::both});
}
Picture compared() {
  return *comparison_of(view_of(laws::any("(4,4):(4,1)"), "(4,4):(4,1)"),
                        view_of(laws::any("Sw<1,0,2> o _0 o (4,4):(4,1)"), "Sw<1,0,2> o _0 o (4,4):(4,1)"));
}
Picture divided() { return *divide_figure(ComposedLayout(laws::L("(4,4):(4,1)")), laws::tiler_of("<2,2>")); }

void expect_golden(const std::string& text, const std::string& name) {
  const fs::path golden = fs::path(TESSERA_SOURCE_DIR) / "tests/golden/draw" / name;
  if (std::getenv("TESSERA_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(golden, std::ios::binary) << text;
    return;
  }
  std::ifstream file(golden, std::ios::binary);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {})) << name;
}

TEST(GoldenPictures, AsText) {
  expect_golden(render_text(tiled()), "tiled.txt");
  expect_golden(render_text(tiled(), {.ascii = true}), "tiled.ascii.txt");
  expect_golden(render_text(tiled(), {.colors = ColorDepth::truecolor, .theme = Theme::dark}),
                "tiled.truecolor.txt");
  expect_golden(render_text(tiled(), {.colors = ColorDepth::ansi256}), "tiled.ansi256.txt");
  expect_golden(render_text(nested()), "nested.txt");
  expect_golden(render_text(compared()), "compared.txt");
  expect_golden(render_text(compared(), {.width = 40}), "compared.narrow.txt");
  expect_golden(render_text(divided(), {.colors = ColorDepth::truecolor}), "divided.truecolor.txt");
}

TEST(GoldenPictures, AsSvg) {
  expect_golden(render_svg(tiled()), "tiled.svg");
  expect_golden(render_svg(compared(), ThemeChoice::dark), "compared.dark.svg");
  expect_golden(render_svg(nested(), ThemeChoice::light), "nested.light.svg");
}

TEST(GoldenPictures, AsTikz) { expect_golden(render_tikz(tiled()), "tiled.tex"); }

TEST(GoldenPictures, AsHtml) {
  expect_golden(render_html(tiled(), {{"a name", "<a value> & more"}}), "tiled.html");
}

TEST(GoldenPictures, AsJson) { expect_golden(render_json(tiled()) + "\n", "tiled.json"); }

}  // namespace
}  // namespace tessera
