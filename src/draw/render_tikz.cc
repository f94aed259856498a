// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

#include "draw/scene.h"
#include "draw/text_lines.h"
#include "tessera/draw/picture.h"

namespace tessera {
namespace {

// Text for LaTeX in OT1 and T1. Outside ASCII, pictures use only two arrows and a dot.
std::string tex_escaped(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kSpecial = {
      {{"\\", "\\textbackslash{}"},
       {"{", "\\{"},
       {"}", "\\}"},
       {"_", "\\_"},
       {"&", "\\&"},
       {"%", "\\%"},
       {"#", "\\#"},
       {"$", "\\$"},
       {"^", "\\textasciicircum{}"},
       {"~", "\\textasciitilde{}"},
       {"<", "\\textless{}"},
       {">", "\\textgreater{}"},
       {"→", "$\\rightarrow$"},
       {"↓", "$\\downarrow$"}}};
  std::string out;
  while (!text.empty()) {
    std::size_t taken = 0;
    for (const auto& [plain, tex] : kSpecial) {
      if (!text.starts_with(plain)) continue;
      out += tex;
      taken = plain.size();
      break;
    }
    if (taken == 0) {
      out += static_cast<unsigned char>(text[0]) < 0x80 ? text[0] : '?';
      taken = 1;
      while (taken < text.size() && (static_cast<unsigned char>(text[taken]) & 0xc0) == 0x80) ++taken;
    }
    text.remove_prefix(taken);
  }
  return out;
}

// Names of colors begin with ts, because `mark` and others are TikZ keys.
std::string tikz_color(std::string_view name, Rgb c) {
  return fmt::format("\\definecolor{{ts{}}}{{RGB}}{{{},{},{}}}\n", name, c.r, c.g, c.b);
}

// A node at its baseline. A CSS pixel is 0.75 pt.
std::string node(double x, double y, double font, detail::Anchor anchor, std::string_view color, bool bold,
                 std::string_view text) {
  static constexpr std::array<std::string_view, 3> kAnchors = {"base west", "base", "base east"};
  return fmt::format(
      "\\node[anchor={},font={{\\ttfamily{}\\fontsize{{{:g}}}{{{:g}}}\\selectfont}},text=ts{}] at "
      "({:g},{:g}) "
      "{{{}}};\n",
      kAnchors[static_cast<std::size_t>(anchor)], bold ? "\\bfseries" : "", font * 0.75, font * 0.9, color, x,
      y, tex_escaped(text));
}

std::string hatched(double x, double y, double width, double height) {
  std::string out = fmt::format("\\fill[fill=tspadding] ({0:g},{1:g}) rectangle ({2:g},{3:g});\n", x, y,
                                x + width, y + height);
  fmt::format_to(std::back_inserter(out), "\\begin{{scope}}\\clip ({0:g},{1:g}) rectangle ({2:g},{3:g});", x,
                 y, x + width, y + height);
  for (double sum = std::floor((x + y) / 6) * 6; sum <= x + y + width + height; sum += 6) {
    fmt::format_to(std::back_inserter(out), "\\draw[draw=tshatch,line width=0.5pt] ({:g},{:g})--({:g},{:g});",
                   sum - y, y, sum - y - height, y + height);
  }
  return out + "\\end{scope}\n";
}

std::string cell(const detail::SceneGrid& grid, const detail::SceneCell& place) {
  const Cell& cell = *place.cell;
  std::string out;
  std::string ink = "muted";
  if (cell.kind == Cell::Kind::padding) {
    out = hatched(place.x, place.y, grid.width, grid.height);
  } else {
    ink = cell.color < 0 ? "ink" : fmt::format("t{}", cell.color);
    if (cell.color >= 0) {
      out = fmt::format("\\fill[fill=tsc{}] ({:g},{:g}) rectangle ({:g},{:g});\n", cell.color, place.x,
                        place.y, place.x + grid.width, place.y + grid.height);
    }
  }
  if (cell.text.empty() || grid.font == 0) return out;
  const std::vector<std::string_view> lines = lines_of(cell.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += node(place.x + grid.width / 2, detail::cell_baseline(grid, place, i, lines.size()), grid.font,
                detail::Anchor::middle, ink, false, lines[i]);
  }
  return out;
}

}  // namespace

std::string render_tikz(const Picture& picture, Theme theme) {
  const detail::Scene scene = detail::scene_of(picture);
  const ThemeColors& colors = colors_of(theme);
  std::string out =
      "\\documentclass[tikz]{standalone}\n"
      "\\usepackage[T1]{fontenc}\n"
      "\\usepackage{lmodern}\n";
  out += tikz_color("paper", colors.paper) + tikz_color("ink", colors.ink) +
         tikz_color("muted", colors.muted) + tikz_color("grid", colors.grid) +
         tikz_color("frame", colors.frame) + tikz_color("padding", colors.padding) +
         tikz_color("hatch", colors.hatch) + tikz_color("mark", colors.mark);
  for (int i = 0; i < picture.scale.steps; ++i) {
    const Rgb paper = color_of(picture.scale, i, theme);
    out += tikz_color(fmt::format("c{}", i), paper) + tikz_color(fmt::format("t{}", i), ink_on(paper));
  }
  auto end = std::back_inserter(out);
  out +=
      "\\begin{document}\n"
      "\\begin{tikzpicture}[x=0.75pt,y=-0.75pt,inner sep=0pt,outer sep=0pt]\n";
  fmt::format_to(end, "\\fill[fill=tspaper] (0,0) rectangle ({:g},{:g});\n", scene.width, scene.height);
  for (const detail::SceneGrid& grid : scene.grids) {
    for (const detail::SceneCell& place : grid.cells) out += cell(grid, place);
  }
  for (const detail::SceneLine& line : scene.lines) {
    fmt::format_to(end, "\\draw[draw=ts{},line width={:g}pt,line cap=rect] ({:g},{:g})--({:g},{:g});\n",
                   line.weight <= 0 ? "grid" : "frame", detail::line_width(line.weight) * 0.75, line.x1,
                   line.y1, line.x2, line.y2);
  }
  for (const detail::SceneGrid& grid : scene.grids) {
    for (const detail::SceneCell& place : grid.cells) {
      if (!place.cell->marked) continue;
      fmt::format_to(end, "\\draw[draw=tsmark,line width=1pt] ({:g},{:g}) rectangle ({:g},{:g});\n",
                     place.x + 1.5, place.y + 1.5, place.x + grid.width - 1.5, place.y + grid.height - 1.5);
    }
  }
  for (const detail::SceneSwatch& one : scene.swatches) {
    if (one.color < 0) {
      out += hatched(one.x, one.y, one.width, one.height);
    } else {
      fmt::format_to(end, "\\fill[fill=tsc{}] ({:g},{:g}) rectangle ({:g},{:g});\n", one.color, one.x, one.y,
                     one.x + one.width, one.y + one.height);
    }
  }
  for (const detail::SceneText& one : scene.texts) {
    const bool bold = one.role == detail::Role::title || one.role == detail::Role::caption;
    const bool muted = one.role == detail::Role::axis || one.role == detail::Role::note;
    out += node(one.x, one.y, one.font, one.anchor, muted ? "muted" : "ink", bold, one.text);
  }
  return out + "\\end{tikzpicture}\n\\end{document}\n";
}

}  // namespace tessera
