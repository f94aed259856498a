// SPDX-License-Identifier: Apache-2.0
#include "draw/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "draw/text_lines.h"

namespace tessera::detail {
namespace {

constexpr double kMargin = 16;
constexpr double kGap = 32;          // between panels
constexpr double kLeastWidth = 360;  // leaves room for text under small pictures
constexpr double kBreakAt = 1200;    // wider panels start a new row

constexpr double kTitleFont = 14;
constexpr double kCaptionFont = 12;
constexpr double kNoteFont = 11;

// Cells shrink as their number grows; text stays readable at the picture's natural size.
struct Density {
  Index most;  // rows or columns
  double font;
  double label;
  double width;
  double height;
};
constexpr std::array<Density, 4> kDensities = {
    {{16, 13, 11, 30, 26}, {40, 11, 10, 22, 19}, {80, 9, 9, 17, 15}, {kIndexMax, 7, 8, 14, 12}}};

// Cells without text.
constexpr std::array<Density, 2> kPlain = {{{128, 0, 9, 12, 12}, {kIndexMax, 0, 9, 7, 7}}};

const Density& density_of(const Panel& panel) {
  const Index longest = std::max(panel.rows, panel.columns);
  if (!panel.draws_text) return longest <= kPlain[0].most ? kPlain[0] : kPlain[1];
  return *std::ranges::find_if(kDensities, [&](const Density& d) { return longest <= d.most; });
}

// The step between shown labels: with every n-th label shown, they do not touch.
std::size_t thinning(double pitch, double room) {
  static constexpr std::array<std::size_t, 12> kSteps = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096};
  for (const std::size_t step : kSteps) {
    if (static_cast<double>(step) * pitch >= room) return step;
  }
  return kSteps.back();
}

double widest(const std::vector<AxisLabel>& level, double font) {
  double width = 0;
  for (const AxisLabel& label : level) width = std::max(width, letters(label.text, font));
  return width;
}

class PanelBuilder {
 public:
  PanelBuilder(const Panel& panel, Scene& scene) : panel_(panel), scene_(scene), density_(density_of(panel)) {
    double text = 0;
    std::size_t lines = 1;
    for (const Cell& cell : panel.cells) {
      if (!panel.draws_text) break;
      const std::vector<std::string_view> parts = lines_of(cell.text);
      lines = std::max(lines, parts.size());
      for (const std::string_view part : parts) text = std::max(text, letters(part, density_.font));
    }
    const double margin = density_.font * 0.6;
    grid_.font = density_.font;
    grid_.width = std::max(density_.width, std::ceil(text + margin));
    grid_.height =
        std::max(density_.height, std::ceil(static_cast<double>(lines) * density_.font * 1.25 + margin));
    line_ = std::ceil(density_.label * 1.4);
    for (const std::vector<AxisLabel>& level : panel.row_axis.levels)
      gutters_.push_back(widest(level, density_.label) + 8);
    double gutter = 0;
    for (const double width : gutters_) gutter += width;
    const double name = panel.row_axis.name.empty() ? 0 : letters(panel.row_axis.name, density_.label) + 24;
    gutter_ = std::ceil(std::max(gutter, name));
    top_ = (panel.caption.empty() ? 0 : std::ceil(kCaptionFont * 1.7)) +
           (panel.column_axis.name.empty() ? 0 : line_) +
           static_cast<double>(panel.column_axis.levels.size()) * line_ + 4;
  }

  double width() const {
    const double grid = gutter_ + static_cast<double>(panel_.columns) * grid_.width;
    return std::ceil(std::max(grid, letters(panel_.caption, kCaptionFont)));
  }
  double height() const { return top_ + static_cast<double>(panel_.rows) * grid_.height + 2; }

  void place(double x, double y) {
    x0_ = x + gutter_;
    y0_ = y + top_;
    if (!panel_.caption.empty()) {
      scene_.texts.push_back(
          {x, y + kCaptionFont, kCaptionFont, Anchor::start, Role::caption, panel_.caption});
    }
    add_column_labels();
    add_row_labels();
    add_cells();
    add_lines();
    scene_.grids.push_back(std::move(grid_));
  }

 private:
  double at_column(Index c) const { return x0_ + static_cast<double>(c) * grid_.width; }
  double at_row(Index r) const { return y0_ + static_cast<double>(r) * grid_.height; }

  void text(double x, double y, Anchor anchor, Role role, std::string words) {
    scene_.texts.push_back({x, y, density_.label, anchor, role, std::move(words)});
  }

  void add_column_labels() {
    const auto& levels = panel_.column_axis.levels;
    const double names = y0_ - 4 - static_cast<double>(levels.size()) * line_;
    if (!panel_.column_axis.name.empty()) {
      text(x0_, names - line_ * 0.3, Anchor::start, Role::axis, panel_.column_axis.name + " →");
    }
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (levels[k].empty()) continue;
      const double base = names + static_cast<double>(k + 1) * line_ - line_ * 0.3;
      const Index span = levels[k].front().end - levels[k].front().begin;
      const std::size_t step =
          thinning(static_cast<double>(span) * grid_.width, widest(levels[k], density_.label) + 4);
      for (std::size_t i = 0; i < levels[k].size(); i += step) {
        const AxisLabel& label = levels[k][i];
        const double left = at_column(label.begin);
        const double right = at_column(label.end);
        text((left + right) / 2, base, Anchor::middle, k + 1 < levels.size() ? Role::axis : Role::label,
             label.text);
        if (k + 1 < levels.size() && label.end - label.begin > 1) {
          scene_.lines.push_back({left + 3, base + 3, right - 3, base + 3, -1});
        }
      }
    }
  }

  void add_row_labels() {
    const auto& levels = panel_.row_axis.levels;
    if (!panel_.row_axis.name.empty()) {
      text(x0_ - 6, y0_ - 4 - line_ * 0.3, Anchor::end, Role::axis, panel_.row_axis.name + " ↓");
    }
    double right = x0_;
    for (std::size_t k = levels.size(); k-- > 0;) {
      if (levels[k].empty()) continue;
      const Index span = levels[k].front().end - levels[k].front().begin;
      const std::size_t step = thinning(static_cast<double>(span) * grid_.height, density_.label * 1.15);
      for (std::size_t i = 0; i < levels[k].size(); i += step) {
        const AxisLabel& label = levels[k][i];
        const double top = at_row(label.begin);
        const double bottom = at_row(label.end);
        text(right - 6, (top + bottom) / 2 + density_.label * 0.35, Anchor::end,
             k + 1 < levels.size() ? Role::axis : Role::label, label.text);
        if (k + 1 < levels.size() && label.end - label.begin > 1) {
          scene_.lines.push_back({right - 2, top + 3, right - 2, bottom - 3, -1});
        }
      }
      right -= gutters_[k];
    }
  }

  void add_cells() {
    grid_.cells.reserve(panel_.cells.size());
    for (Index row = 0; row < panel_.rows; ++row) {
      for (Index column = 0; column < panel_.columns; ++column) {
        const Cell& cell = panel_.row(row)[column];
        if (cell.kind == Cell::Kind::none) continue;
        grid_.cells.push_back({at_column(column), at_row(row), &cell, row, column});
      }
    }
  }

  // The number of cells in a row. The last row may be short, and its lines end with its cells.
  Index filled(Index row) const {
    Index count = panel_.columns;
    while (count > 0 && panel_.row(row)[count - 1].kind == Cell::Kind::none) --count;
    return count;
  }

  void add_lines() {
    const Index rows = panel_.rows;
    const Index last = filled(rows - 1);
    for (Index r = 0; r <= rows; ++r) {
      const bool border = r == 0 || r == rows;
      const int cut = panel_.row_axis.cuts[static_cast<std::size_t>(r)];
      const Index length = r == rows ? last : panel_.columns;
      scene_.lines.push_back({x0_, at_row(r), at_column(length), at_row(r), border ? std::max(cut, 1) : cut});
      if (r + 1 == rows && last < panel_.columns && !border) {
        scene_.lines.push_back({at_column(last), at_row(r), at_column(panel_.columns), at_row(r), 1});
      }
    }
    for (Index c = 0; c <= panel_.columns; ++c) {
      const bool border = c == 0 || c == panel_.columns;
      const int cut = panel_.column_axis.cuts[static_cast<std::size_t>(c)];
      const Index length = c <= last ? rows : rows - 1;
      if (length == 0) continue;
      scene_.lines.push_back(
          {at_column(c), y0_, at_column(c), at_row(length), border ? std::max(cut, 1) : cut});
      if (c == last && last < panel_.columns && !border) {
        scene_.lines.push_back({at_column(c), at_row(rows - 1), at_column(c), at_row(rows), 1});
      }
    }
  }

  const Panel& panel_;
  Scene& scene_;
  const Density& density_;
  SceneGrid grid_;
  std::vector<double> gutters_;  // width of each level of row labels
  double gutter_ = 0;
  double top_ = 0;
  double line_ = 0;
  double x0_ = 0;
  double y0_ = 0;
};

// Breaks text into lines of at most `width`; cuts longer words.
std::vector<std::string> wrapped(std::string_view text, double width, double font) {
  const auto most = static_cast<Index>(std::max(8.0, std::floor(width / (kLetterWidth * font))));
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    const Index room = most - text_width(lines.back()) - (lines.back().empty() ? 0 : 1);
    if (text_width(word) > room && !lines.back().empty()) lines.emplace_back();
    while (text_width(word) > most) {
      // Only texts of layouts are that long, and they are ASCII.
      lines.back() = word.substr(0, static_cast<std::size_t>(most));
      word.remove_prefix(static_cast<std::size_t>(most));
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

double add_words(Scene& scene, double y, double width, double font, Role role, std::string_view text) {
  for (std::string& line : wrapped(text, width, font)) {
    y += std::ceil(font * 1.5);
    scene.texts.push_back({kMargin, y - font * 0.4, font, Anchor::start, role, std::move(line)});
  }
  return y;
}

double add_legend(Scene& scene, const Picture& picture, double y, double width) {
  if (picture.legend.empty() && picture.legend_title.empty()) return y;
  constexpr double kSide = 12;
  const double font = kNoteFont;
  y += 10;
  double x = kMargin;
  const auto word = [&](const std::string& text) {
    scene.texts.push_back({x, y + kSide - 2, font, Anchor::start, Role::legend, text});
    x += std::ceil(letters(text, font));
  };
  if (!picture.legend_title.empty()) {
    word(picture.legend_title);
    x += 12;
  }
  std::size_t next = 0;
  if (has_strip(picture)) {
    word(picture.legend[0].text);
    x += 6;
    // Fractions of a pixel would leave gaps.
    const double step = std::max(1.0, std::round(160.0 / picture.scale.steps));
    const double strip = step * picture.scale.steps;
    for (int i = 0; i < picture.scale.steps; ++i) {
      scene.swatches.push_back({x + i * step, y, step, kSide, i});
    }
    x += strip + 6;
    next = 1;
    if (picture.legend.size() > 1 && picture.legend[1].color > 0) word(picture.legend[next++].text);
    x += 16;
  }
  for (; next < picture.legend.size(); ++next) {
    const LegendEntry& entry = picture.legend[next];
    const double needs = kSide + 6 + letters(entry.text, font);
    if (x > kMargin && x + needs > kMargin + width) {
      x = kMargin;
      y += kSide + 6;
    }
    scene.swatches.push_back({x, y, kSide, kSide, entry.color});
    x += kSide + 6;
    word(entry.text);
    x += 14;
  }
  return y + kSide + 4;
}

}  // namespace

double letters(std::string_view text, double font) {
  return static_cast<double>(text_width(text)) * kLetterWidth * font;
}

double cell_baseline(const SceneGrid& grid, const SceneCell& cell, std::size_t i, std::size_t count) {
  const double line = grid.font * 1.2;
  const double first = cell.y + grid.height / 2 - line * static_cast<double>(count - 1) / 2;
  return first + line * static_cast<double>(i) + grid.font * 0.35;
}

std::string tooltip(const Cell& cell) {
  std::string text = cell.coordinate.empty() ? "" : fmt::format("({})", cell.coordinate);
  if (cell.offset) text += fmt::format("{}offset {}", text.empty() ? "" : " at ", *cell.offset);
  if (cell.kind == Cell::Kind::padding) text += ": padding";
  if (!cell.detail.empty()) text += ": " + cell.detail;
  return text;
}

double line_width(int weight) { return weight < 0 ? 1 : weight == 0 ? 0.6 : weight == 1 ? 1.4 : 2.4; }

Scene scene_of(const Picture& picture) {
  Scene scene;
  std::vector<PanelBuilder> builders;
  double break_at = kBreakAt;
  for (const Panel& panel : picture.panels) {
    builders.emplace_back(panel, scene);
    break_at = std::max(break_at, builders.back().width());
  }
  // Panels wrap into rows like words.
  struct PanelPlace {
    double x;
    double y;
  };
  std::vector<PanelPlace> places;
  double x = 0;
  double y = 0;
  double tallest = 0;
  double width = kLeastWidth;
  for (const PanelBuilder& builder : builders) {
    if (x > 0 && x + builder.width() > break_at) {
      x = 0;
      y += tallest + kGap / 2;
      tallest = 0;
    }
    places.push_back({kMargin + x, y});
    width = std::max(width, x + builder.width());
    x += builder.width() + kGap;
    tallest = std::max(tallest, builder.height());
  }
  double bottom = kMargin / 2;
  if (!picture.title.empty())
    bottom = add_words(scene, bottom, width, kTitleFont, Role::title, picture.title) + 6;
  for (std::size_t i = 0; i < builders.size(); ++i) builders[i].place(places[i].x, bottom + places[i].y);
  bottom += y + tallest;
  bottom = add_legend(scene, picture, bottom, width);
  for (const std::string& note : picture.notes)
    bottom = add_words(scene, bottom, width, kNoteFont, Role::note, note);
  for (const SceneText& text : scene.texts) {
    if (text.anchor == Anchor::start)
      width = std::max(width, text.x - kMargin + letters(text.text, text.font));
  }
  scene.width = std::ceil(width) + 2 * kMargin;
  scene.height = std::ceil(bottom) + kMargin;
  std::vector<SceneLine> lines;
  for (int weight = -1; weight <= 2; ++weight) {
    std::ranges::copy_if(scene.lines, std::back_inserter(lines),
                         [&](const SceneLine& line) { return line.weight == weight; });
  }
  scene.lines = std::move(lines);
  return scene;
}

}  // namespace tessera::detail
