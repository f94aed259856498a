// SPDX-License-Identifier: Apache-2.0
// Two classes (banks, threads, tiles) never look alike: each has its own color in every renderer, or its
// cells name it. Regression: in 256 colors, banks {13,16}, {21,26}, {24,27,31} and {25,28} shared colors and
// looked like bank conflicts.
#include <gtest/gtest.h>

#include <charconv>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "laws/cute_layouts.h"
#include "laws/picture_laws.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/draw/picture.h"

namespace tessera {
namespace {

constexpr double kApart = 0.055;

struct Example {
  const char* name;
  Picture picture;
  std::function<std::string(const Cell&)> class_of;
  bool named;  // cells name their class
};

Picture draw(std::string_view text, const PictureOptions& options) {
  return *picture_of(view_of(laws::any(text), std::string(text)), options);
}

Picture threads(std::string_view text, std::vector<Index> tile) {
  return *thread_value_picture(view_of(laws::any(text), std::string(text)), std::move(tile));
}

std::vector<Index> numbers_in(const std::string& text) {
  static const std::regex digits("[0-9]+");
  std::vector<Index> out;
  for (std::sregex_iterator at(text.begin(), text.end(), digits), end; at != end; ++at) {
    out.push_back(std::stoll(at->str()));
  }
  return out;
}

std::function<std::string(const Cell&)> tile_class(Index rows, Index columns) {
  return [=](const Cell& cell) {
    const std::vector<Index> at = numbers_in(cell.coordinate);
    return std::to_string(at.at(0) / rows) + "," + std::to_string(at.at(1) / columns);
  };
}

std::vector<Example> examples() {
  const auto bank = [](Index bytes) {
    return [bytes](const Cell& cell) { return std::to_string(*cell.offset * bytes / 4 % 32); };
  };
  const auto thread = [](const Cell& cell) { return cell.detail.substr(0, cell.detail.find(',')); };
  const PictureOptions tile{.color_by = Coloring::tile};
  return {
      {"banks", draw("(8,32):(32,1)", {.color_by = Coloring::bank}), bank(4), true},
      {"banks of bytes", draw("(4,200):(200,1)", {.color_by = Coloring::bank, .bits = 8}), bank(1), false},
      {"banks without text",
       draw("(8,64):(64,1)", {.color_by = Coloring::bank, .cell_text = CellText::none, .bits = 16}), bank(2),
       false},
      {"banks of memory", draw("(8,32):(33,1)", {.view = View::memory, .color_by = Coloring::bank}), bank(4),
       true},
      {"8 threads", threads("(8,4):(4,1)", {32}), thread, true},
      {"32 threads", threads("((4,8),(2,2)):((16,1),(8,64))", {8, 16}), thread, true},
      {"128 threads", threads("(128,4):(4,1)", {8, 64}), thread, true},
      {"8 tiles", draw("f32[16,64]{1,0:T(8,16)}", tile), tile_class(8, 16), false},
      {"30 tiles", draw("f32[40,96]{1,0:T(8,16)}", tile), tile_class(8, 16), false},
      {"33 tiles", draw("f32[24,176]{1,0:T(8,16)}", tile), tile_class(8, 16), true},
      {"16 of many tiles",
       draw("f32[4096,4096]{1,0:T(8,16)}",
            {.color_by = Coloring::tile, .window = {{1024, 1056}, {1024, 1088}}}),
       tile_class(8, 16), false},
      {"tiles in memory", draw("f32[64,64]{1,0:T(8,8)}", {.view = View::memory}), tile_class(8, 8), true},
      {"divided", *divide_figure(ComposedLayout(laws::L("(8,8):(8,1)")), laws::tiler_of("<2,2>")),
       [](const Cell& cell) {
         return std::to_string(*cell.offset / 16) + "," + std::to_string(*cell.offset % 8 / 2);
       },
       false},
      {"divided into many",
       *divide_figure(ComposedLayout(laws::L("(16,16):(16,1)")), laws::tiler_of("<2,2>")),
       [](const Cell& cell) {
         return std::to_string(*cell.offset / 32) + "," + std::to_string(*cell.offset % 16 / 2);
       },
       true},
  };
}

Rgb rgb_of(const std::string& hex) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint8_t>(std::stoi(hex.substr(at, 2), nullptr, 16));
  };
  return {byte(1), byte(3), byte(5)};
}

// Paper and ink of each step of the scale, as a renderer shows them.
using Shown = std::map<int, std::pair<Rgb, Rgb>>;

Shown in_terminal(const Picture& picture, ColorDepth depth, Theme theme) {
  // Renders a picture with one cell per step for a terminal.
  Picture steps{.scale = picture.scale};
  Panel panel{.rows = 1, .columns = picture.scale.steps};
  panel.row_axis.cuts.assign(2, 0);
  panel.column_axis.cuts.assign(static_cast<std::size_t>(panel.columns + 1), 0);
  for (int i = 0; i < picture.scale.steps; ++i) panel.cells.push_back({.text = "x", .color = i});
  steps.panels.push_back(panel);
  const std::string text = render_text(steps, {.ascii = true, .colors = depth, .theme = theme});
  const std::regex escape(depth == ColorDepth::truecolor
                              ? "\x1b\\[48;2;([0-9]+);([0-9]+);([0-9]+);38;2;([0-9]+);([0-9]+);([0-9]+)m"
                              : "\x1b\\[48;5;([0-9]+);38;5;([0-9]+)m");
  Shown shown;
  for (std::sregex_iterator at(text.begin(), text.end(), escape), end; at != end; ++at) {
    const auto n = [&](std::size_t k) { return std::stoi((*at)[k].str()); };
    const auto rgb = [&](std::size_t k) {
      return Rgb{static_cast<std::uint8_t>(n(k)), static_cast<std::uint8_t>(n(k + 1)),
                 static_cast<std::uint8_t>(n(k + 2))};
    };
    const auto both = depth == ColorDepth::truecolor ? std::pair(rgb(1), rgb(4))
                                                     : std::pair(terminal_color(n(1)), terminal_color(n(2)));
    shown.emplace(static_cast<int>(shown.size()), both);
  }
  return shown;
}

Shown in_style(const std::string& text) {
  const std::regex rule(
      "\\.c([0-9]+) rect,\\.k[0-9]+\\{fill:(#[0-9a-f]+)\\}\\.c[0-9]+ text\\{fill:(#[0-9a-f]+)\\}");
  Shown shown;
  for (std::sregex_iterator at(text.begin(), text.end(), rule), end; at != end; ++at) {
    shown[std::stoi((*at)[1].str())] = {rgb_of((*at)[2].str()), rgb_of((*at)[3].str())};
  }
  return shown;
}

Shown in_tikz(const std::string& text) {
  const std::regex rule("\\\\definecolor\\{ts([ct])([0-9]+)\\}\\{RGB\\}\\{([0-9]+),([0-9]+),([0-9]+)\\}");
  Shown shown;
  for (std::sregex_iterator at(text.begin(), text.end(), rule), end; at != end; ++at) {
    const auto n = [&](std::size_t k) { return static_cast<std::uint8_t>(std::stoi((*at)[k].str())); };
    auto& [paper, ink] = shown[std::stoi((*at)[2].str())];
    ((*at)[1].str() == "c" ? paper : ink) = {n(3), n(4), n(5)};
  }
  return shown;
}

void expect_distinct(const Shown& shown, int steps, const std::string& where) {
  ASSERT_EQ(static_cast<int>(shown.size()), steps) << where;
  for (const auto& [i, a] : shown) {
    EXPECT_GE(contrast(a.first, a.second), 4.5) << where << ": text on " << i;
    for (const auto& [j, b] : shown) {
      if (i < j) {
        EXPECT_GE(distance(a.first, b.first), kApart) << where << ": " << i << " and " << j;
      }
    }
  }
}

TEST(ClassColors, AreDistinctInEveryRenderer) {
  for (const Example& example : examples()) {
    const Picture& picture = example.picture;
    const int steps = picture.scale.steps;
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const std::string where = std::string(example.name) + (theme == Theme::light ? ", light" : ", dark");
      const ThemeChoice choice = theme == Theme::light ? ThemeChoice::light : ThemeChoice::dark;
      expect_distinct(in_terminal(picture, ColorDepth::ansi256, theme), steps, where + ", 256 colors");
      expect_distinct(in_terminal(picture, ColorDepth::truecolor, theme), steps, where + ", true color");
      expect_distinct(in_style(render_svg(picture, choice)), steps, where + ", SVG");
      expect_distinct(in_style(render_html(picture, {}, choice)), steps, where + ", HTML");
      expect_distinct(in_tikz(render_tikz(picture, theme)), steps, where + ", TikZ");
    }
  }
}

TEST(ClassColors, BelongToOneClassOrCellsNameTheClass) {
  for (const Example& example : examples()) {
    SCOPED_TRACE(example.name);
    std::map<std::pair<std::size_t, int>, std::set<std::string>> classes;  // by panel and color
    std::set<std::string> all;
    for (std::size_t p = 0; p < example.picture.panels.size(); ++p) {
      for (const Cell& cell : example.picture.panels[p].cells) {
        if (cell.color < 0) continue;
        const std::string name = example.class_of(cell);
        all.insert(name);
        classes[{p, cell.color}].insert(name);
        if (!example.named) continue;
        EXPECT_TRUE(example.picture.panels[p].draws_text);
        // The text ends with the numbers of the class: bank 7, T7V1, [3,4].
        const std::vector<Index> shown = numbers_in(cell.text);
        const std::vector<Index> wanted = numbers_in(name);
        const bool owner = cell.text.starts_with("T");
        ASSERT_GE(shown.size(), wanted.size());
        EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(),
                               owner ? shown.begin() : shown.end() - std::ssize(wanted)))
            << name << ": " << cell.text;
      }
    }
    if (example.named && static_cast<int>(all.size()) > example.picture.scale.steps) continue;
    for (const auto& [color, names] : classes) EXPECT_EQ(names.size(), 1u) << color.second;
  }
}

TEST(ClassColors, NeighboringTilesDifferHoweverManyThereAre) {
  const Picture picture = draw("f32[256,256]{1,0:T(4,4)}", {.color_by = Coloring::tile});
  const Panel& panel = picture.panels[0];
  for (Index row = 4; row < 256; row += 4) {
    for (Index column = 4; column + 4 < 256; column += 4) {
      const int color = panel.row(row)[column].color;
      EXPECT_NE(color, panel.row(row - 4)[column].color);
      EXPECT_NE(color, panel.row(row)[column - 4].color);
      EXPECT_NE(color, panel.row(row - 4)[column - 4].color);
      EXPECT_NE(color, panel.row(row - 4)[column + 4].color);
    }
  }
  EXPECT_EQ(picture.notes,
            std::vector<std::string>{"[i,j] names the tile: there are more tiles than colors"});
}

}  // namespace
}  // namespace tessera
