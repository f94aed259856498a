// SPDX-License-Identifier: Apache-2.0
#include "draw/render_svg.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "draw/text_lines.h"

namespace tessera {
namespace detail {
namespace {

// CSS classes: c<n> cells of color n, e cells without a color, p padding, l<n> lines, s spans of labels, m
// marks.
std::string rules(const Picture& picture, Theme theme) {
  const ThemeColors& colors = colors_of(theme);
  std::string out;
  const auto add = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  };
  add(".bg{{fill:{}}}text{{fill:{}}}", to_string(colors.paper), to_string(colors.ink));
  add(".axis,.note{{fill:{}}}", to_string(colors.muted));
  add(".e rect{{fill:{}}}", to_string(colors.paper));
  add(".p text{{fill:{}}}.h{{fill:{}}}.hl{{stroke:{}}}", to_string(colors.muted), to_string(colors.padding),
      to_string(colors.hatch));
  for (int i = 0; i < picture.scale.steps; ++i) {
    const Rgb paper = color_of(picture.scale, i, theme);
    add(".c{0} rect,.k{0}{{fill:{1}}}.c{0} text{{fill:{2}}}", i, to_string(paper), to_string(ink_on(paper)));
  }
  add(".l0,.s{{stroke:{}}}.l1,.l2{{stroke:{}}}.m{{stroke:{}}}\n", to_string(colors.grid),
      to_string(colors.frame), to_string(colors.mark));
  return out;
}

constexpr std::array<std::string_view, 6> kRoleClass = {"title", "caption", "label",
                                                        "axis",  "legend",  "note"};
constexpr std::array<std::string_view, 3> kAnchor = {"start", "middle", "end"};

std::string fill_class(int color) { return color < 0 ? "e" : fmt::format("c{}", color); }

void add_cell(std::string& out, const SceneGrid& grid, const SceneCell& place, std::size_t panel,
              bool interactive) {
  const Cell& cell = *place.cell;
  const bool padding = cell.kind == Cell::Kind::padding;
  auto end = std::back_inserter(out);
  const std::string tip = xml_escaped(tooltip(cell));
  fmt::format_to(end, "<g class=\"{}\"", padding ? "p" : fill_class(cell.color));
  if (interactive) {
    fmt::format_to(
        end, " tabindex=\"-1\" data-p=\"{}\" data-r=\"{}\" data-c=\"{}\" data-k=\"{}\" aria-label=\"{}\"",
        panel, place.row, place.column, cell.link, tip);
  }
  fmt::format_to(end, "><title>{}</title><rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"{}/>", tip,
                 place.x, place.y, grid.width, grid.height, padding ? " fill=\"url(#hatch)\"" : "");
  if (!cell.text.empty() && grid.font > 0) {
    const std::vector<std::string_view> lines = lines_of(cell.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      fmt::format_to(end, "<text x=\"{:g}\" y=\"{:.5g}\">{}</text>", place.x + grid.width / 2,
                     cell_baseline(grid, place, i, lines.size()), xml_escaped(lines[i]));
    }
  }
  out += "</g>\n";
}

void add_marks(std::string& out, const SceneGrid& grid) {
  for (const SceneCell& place : grid.cells) {
    if (!place.cell->marked) continue;
    fmt::format_to(std::back_inserter(out),
                   "<rect class=\"m\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"/>\n",
                   place.x + 1.5, place.y + 1.5, grid.width - 3, grid.height - 3);
  }
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') {
          out += "\xef\xbf\xbd";
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string svg_style(const Picture& picture, ThemeChoice theme) {
  std::string out =
      "svg{font-family:'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace}"
      ".title,.caption{font-weight:bold}.grid text{text-anchor:middle}"
      ".l0,.l1,.l2,.s,.m,.hl{fill:none}.m{stroke-width:1.4}\n";
  out += rules(picture, theme == ThemeChoice::dark ? Theme::dark : Theme::light);
  if (theme == ThemeChoice::automatic) {
    out += "@media (prefers-color-scheme:dark){" + rules(picture, Theme::dark) + "}\n";
  }
  return out;
}

std::string svg_element(const Picture& picture, const std::string& style, bool interactive) {
  Picture drawn = picture;
  if (interactive) drawn.title.clear();
  const Scene scene = scene_of(drawn);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" "
      "role=\"{2}\" aria-label=\"{3}\">\n",
      scene.width, scene.height, interactive ? "group" : "img", xml_escaped(picture.title));
  auto end = std::back_inserter(out);
  if (!interactive) fmt::format_to(end, "<title>{}</title>\n", xml_escaped(picture.title));
  fmt::format_to(end, "<style>\n{}</style>\n", style);
  out +=
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<rect class=\"h\" width=\"6\" height=\"6\"/><path class=\"hl\" d=\"M-1 1L1 -1M0 6L6 0M5 7L7 5\" "
      "stroke-width=\"1\"/></pattern></defs>\n";
  fmt::format_to(end, "<rect class=\"bg\" width=\"{:g}\" height=\"{:g}\"/>\n", scene.width, scene.height);
  for (std::size_t i = 0; i < scene.grids.size(); ++i) {
    const SceneGrid& grid = scene.grids[i];
    fmt::format_to(end, "<g class=\"grid\" font-size=\"{:g}\">\n", grid.font);
    for (const SceneCell& cell : grid.cells) add_cell(out, grid, cell, i, interactive);
    out += "</g>\n";
  }
  for (int weight = -1; weight <= 2; ++weight) {
    std::string path;
    for (const SceneLine& line : scene.lines) {
      if (line.weight != weight) continue;
      fmt::format_to(std::back_inserter(path), "M{:g} {:g}{}{:g}", line.x1, line.y1,
                     line.x1 == line.x2 ? 'V' : 'H', line.x1 == line.x2 ? line.y2 : line.x2);
    }
    if (path.empty()) continue;
    const std::string name = weight < 0 ? "s" : fmt::format("l{}", weight);
    fmt::format_to(end, "<path class=\"{}\" stroke-width=\"{:g}\" stroke-linecap=\"square\" d=\"{}\"/>\n",
                   name, line_width(weight), path);
  }
  for (const SceneGrid& grid : scene.grids) add_marks(out, grid);
  for (const SceneSwatch& swatch : scene.swatches) {
    const std::string fill =
        swatch.color < 0 ? "fill=\"url(#hatch)\"" : fmt::format("class=\"k{}\"", swatch.color);
    fmt::format_to(end, "<rect {} x=\"{:g}\" y=\"{:g}\" width=\"{:.4g}\" height=\"{:g}\"/>\n", fill, swatch.x,
                   swatch.y, swatch.width, swatch.height);
  }
  for (const SceneText& text : scene.texts) {
    fmt::format_to(
        end, "<text class=\"{}\" x=\"{:g}\" y=\"{:.5g}\" font-size=\"{:g}\" text-anchor=\"{}\">{}</text>\n",
        kRoleClass[static_cast<std::size_t>(text.role)], text.x, text.y, text.font,
        kAnchor[static_cast<std::size_t>(text.anchor)], xml_escaped(text.text));
  }
  return out + "</svg>\n";
}

}  // namespace detail

std::string render_svg(const Picture& picture, ThemeChoice theme) {
  return detail::svg_element(picture, detail::svg_style(picture, theme), /*interactive=*/false);
}

}  // namespace tessera
