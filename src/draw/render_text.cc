// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "draw/text_lines.h"
#include "tessera/draw/picture.h"

namespace tessera {
namespace {

// Lines of equal width on the screen, where escape sequences take no space.
struct ScreenBlock {
  std::vector<std::string> lines;
  Index width = 0;
};

std::string spaces(Index count) {
  return std::string(static_cast<std::size_t>(std::max<Index>(count, 0)), ' ');
}

std::string centered(std::string_view text, Index width) {
  const Index left = (width - text_width(text)) / 2;
  return spaces(left) + std::string(text) + spaces(width - left - text_width(text));
}

std::string right_aligned(std::string_view text, Index width) {
  return spaces(width - text_width(text)) + std::string(text);
}

class Paint {
 public:
  Paint(const Picture& picture, const TextOptions& options) {
    if (options.colors == ColorDepth::none) return;
    const bool all = options.colors == ColorDepth::truecolor;
    const auto escape = [&](int what, Rgb c) {
      return all ? fmt::format("{};2;{};{};{}", what, c.r, c.g, c.b)
                 : fmt::format("{};5;{}", what, nearest_terminal_color(c));
    };
    for (int i = 0; i < picture.scale.steps; ++i) {
      Rgb paper = color_of(picture.scale, i, options.theme);
      if (!all)
        paper = terminal_color(nearest_terminal_color(paper));  // ink must contrast with the displayed color
      colors_.push_back(fmt::format("\x1b[{};{}m", escape(48, paper), escape(38, ink_on(paper))));
    }
    on_ = true;
  }

  bool on() const { return on_; }

  std::string cell(const Cell& cell, std::string text) const {
    if (!on_) return text;
    if (cell.kind == Cell::Kind::padding) return "\x1b[2m" + text + "\x1b[0m";
    const std::string mark = cell.marked ? "\x1b[1;4m" : "";
    if (cell.color < 0 && mark.empty()) return text;
    return (cell.color < 0 ? "" : color(cell.color)) + mark + text + "\x1b[0m";
  }
  std::string patch(int step, std::string_view text) const {
    return color(step) + std::string(text) + "\x1b[0m";
  }
  std::string bold(std::string text) const { return on_ ? "\x1b[1m" + text + "\x1b[0m" : text; }
  std::string faint(std::string text) const { return on_ ? "\x1b[2m" + text + "\x1b[0m" : text; }

 private:
  std::string color(int step) const { return colors_[static_cast<std::size_t>(step)]; }

  bool on_ = false;
  std::vector<std::string> colors_;
};

// The characters at which a horizontal and a vertical line meet, in this order: both light, heavy horizontal,
// heavy vertical, both heavy.
struct LineSet {
  std::array<std::string_view, 2> horizontal;
  std::array<std::string_view, 2> vertical;
  std::array<std::array<std::string_view, 4>, 9> junction;  // by row (top, middle, bottom) * 3 + column
};
constexpr LineSet kBox{.horizontal = {"─", "━"},
                       .vertical = {"│", "┃"},
                       .junction = {{{"┌", "┍", "┎", "┏"},
                                     {"┬", "┯", "┰", "┳"},
                                     {"┐", "┑", "┒", "┓"},
                                     {"├", "┝", "┠", "┣"},
                                     {"┼", "┿", "╂", "╋"},
                                     {"┤", "┥", "┨", "┫"},
                                     {"└", "┕", "┖", "┗"},
                                     {"┴", "┷", "┸", "┻"},
                                     {"┘", "┙", "┚", "┛"}}}};
constexpr std::array<std::string_view, 4> kPlus = {"+", "+", "+", "+"};
constexpr LineSet kAscii{.horizontal = {"-", "="},
                         .vertical = {"|", "#"},
                         .junction = {{kPlus, kPlus, kPlus, kPlus, kPlus, kPlus, kPlus, kPlus, kPlus}}};

class PanelText {
 public:
  PanelText(const Panel& panel, const TextOptions& options, const Paint& paint)
      : panel_(panel),
        lines_(options.ascii ? kAscii : kBox),
        dot_(options.ascii ? "." : "·"),
        margin_(options.compact ? 0 : 1),
        paint_(paint) {
    for (const Cell& cell : panel.cells) {
      const std::vector<std::string_view> parts = lines_of(cell.text);
      height_ = std::max(height_, parts.size());
      for (const std::string_view part : parts)
        text_ = std::max(text_, text_width(part) + (cell.marked ? 1 : 0));
      marks_ = marks_ || cell.marked;
    }
    if (!panel.column_axis.levels.empty()) {
      for (const AxisLabel& label : panel.column_axis.levels.back())
        text_ = std::max(text_, text_width(label.text));
    }
    text_ = std::max<Index>(text_, 1);
    for (const std::vector<AxisLabel>& level : panel.row_axis.levels) {
      Index width = 0;
      for (const AxisLabel& label : level) width = std::max(width, text_width(label.text));
      gutters_.push_back(width + 1);
      gutter_ += width + 1;
    }
    Index x = 0;
    for (Index c = 0; c < panel.columns; ++c) {
      x += c == 0 || cut(panel.column_axis, c) > 0 ? 1 : 0;
      columns_.push_back(x);
      x += cell_width();
    }
    width_ = x + 1;
  }

  ScreenBlock draw() {
    if (!panel_.caption.empty()) out_.lines.push_back(paint_.bold(panel_.caption));
    add_column_labels();
    for (Index r = 0; r < panel_.rows; ++r) {
      if (r == 0 || cut(panel_.row_axis, r) > 0) add_rule(r);
      for (std::size_t k = 0; k < height_; ++k) add_cells(r, k);
    }
    add_rule(panel_.rows);
    out_.width = std::max(gutter_ + width_, text_width(panel_.caption));
    const std::size_t caption = panel_.caption.empty() ? 0 : 1;
    for (std::size_t i = 0; i < out_.lines.size(); ++i) {
      const Index used = i < caption ? text_width(panel_.caption) : gutter_ + width_;
      out_.lines[i] += spaces(out_.width - used);
    }
    return std::move(out_);
  }

 private:
  static int cut(const Axis& axis, Index at) { return axis.cuts[static_cast<std::size_t>(at)]; }
  Index column(Index c) const {
    return c == panel_.columns ? width_ - 1 : columns_[static_cast<std::size_t>(c)];
  }

  Index cell_width() const { return text_ + 1 + margin_; }

  void add_column_labels() {
    const auto& levels = panel_.column_axis.levels;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      std::string line;
      Index at = 0;
      for (const AxisLabel& label : levels[k]) {
        line += spaces(column(label.begin) - at);
        at = column(label.begin);
        const Index end = column(label.end - 1) + cell_width();
        line += k + 1 < levels.size() ? centered(label.text, end - at)
                                      : right_aligned(label.text, text_ + 1) + spaces(margin_);
        at = end;
      }
      out_.lines.push_back(spaces(gutter_) + paint_.faint(line + spaces(width_ - at)));
    }
  }

  // The index of the line style: 0 light, 1 heavy.
  static std::size_t heavy(const Axis& axis, Index at, Index end) {
    return at > 0 && at < end && cut(axis, at) > 1 ? 1 : 0;
  }

  void add_rule(Index r) {
    const std::size_t h = heavy(panel_.row_axis, r, panel_.rows);
    const std::size_t place = r == 0 ? 0 : r == panel_.rows ? 2 : 1;
    std::string line = spaces(gutter_);
    for (Index c = 0; c <= panel_.columns; ++c) {
      const bool border = c == 0 || c == panel_.columns;
      if (border || cut(panel_.column_axis, c) > 0) {
        const std::size_t v = heavy(panel_.column_axis, c, panel_.columns);
        line += lines_.junction[place * 3 + (c == 0 ? 0 : border ? 2 : 1)][v * 2 + h];
      }
      if (c == panel_.columns) break;
      for (Index i = 0; i < cell_width(); ++i) line += lines_.horizontal[h];
    }
    out_.lines.push_back(std::move(line));
  }

  void add_cells(Index r, std::size_t k) {
    std::string line;
    for (std::size_t level = 0; level < gutters_.size(); ++level) {
      const std::vector<AxisLabel>& labels = panel_.row_axis.levels[level];
      const auto here = std::ranges::lower_bound(labels, r, {}, &AxisLabel::begin);
      const bool starts = k == 0 && here != labels.end() && here->begin == r;
      line += right_aligned(starts ? here->text : "", gutters_[level] - 1) + " ";
    }
    line = paint_.faint(std::move(line));
    for (Index c = 0; c < panel_.columns; ++c) {
      if (c == 0 || cut(panel_.column_axis, c) > 0) {
        line += lines_.vertical[heavy(panel_.column_axis, c, panel_.columns)];
      }
      const Cell& cell = panel_.row(r)[c];
      const std::vector<std::string_view> parts = lines_of(cell.text);
      std::string text(k < parts.size() ? parts[k] : "");
      if (cell.kind == Cell::Kind::padding) text = k == 0 ? dot_ : "";
      if (cell.marked && k + 1 == parts.size()) {
        text += "*";
      } else if (marks_ && cell.kind != Cell::Kind::none) {
        text += " ";
      }
      line += paint_.cell(cell, right_aligned(text, text_ + 1) + spaces(margin_));
    }
    out_.lines.push_back(line + std::string(lines_.vertical[0]));
  }

  const Panel& panel_;
  const LineSet& lines_;
  const std::string dot_;
  const Index margin_;  // blanks after the text of a cell
  const Paint& paint_;
  Index text_ = 0;  // width of the widest text of a cell
  std::size_t height_ = 1;
  bool marks_ = false;
  std::vector<Index> gutters_;
  Index gutter_ = 0;
  std::vector<Index> columns_;
  Index width_ = 0;
  ScreenBlock out_;
};

void add_row(std::string& out, const std::vector<ScreenBlock>& row) {
  std::size_t height = 0;
  for (const ScreenBlock& block : row) height = std::max(height, block.lines.size());
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (const ScreenBlock& block : row) {
      if (!line.empty()) line += "   ";
      line += i < block.lines.size() ? block.lines[i] : spaces(block.width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

// The meaning of colors, padding and marks, if the picture has any.
std::string legend(const Picture& picture, const TextOptions& options, const Paint& paint) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "  ") + text; };
  std::size_t next = 0;
  if (paint.on() && has_strip(picture) && !picture.legend.empty()) {
    std::string strip;
    const int patches = std::min(picture.scale.steps, picture.scale.kind == Scale::Kind::banded ? 32 : 16);
    for (int i = 0; i < patches; ++i) {
      strip += paint.patch(patches == 1 ? 0 : i * (picture.scale.steps - 1) / (patches - 1), "  ");
    }
    const bool two = picture.legend.size() > 1 && picture.legend[1].color > 0;
    add(fmt::format("{} {} {}{}", picture.legend_title, picture.legend[0].text, strip,
                    two ? " " + picture.legend[1].text : ""));
    next = two ? 2 : 1;
  } else if (paint.on() && !picture.legend_title.empty() && picture.scale.kind != Scale::Kind::sequential) {
    add(picture.legend_title);
  }
  for (; next < picture.legend.size(); ++next) {
    const LegendEntry& entry = picture.legend[next];
    // The entries of a strip are its ends, not what marks mean.
    const bool mark = !has_strip(picture) && std::ranges::any_of(picture.panels, [&](const Panel& panel) {
      return std::ranges::any_of(panel.cells,
                                 [&](const Cell& c) { return c.marked && c.color == entry.color; });
    });
    if (entry.color < 0) {
      add((options.ascii ? ". " : "· ") + entry.text);
    } else if (mark) {
      add("* " + entry.text);
    } else if (paint.on() && picture.scale.kind == Scale::Kind::categorical) {
      add(paint.patch(entry.color, "  ") + " " + entry.text);
    }
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace

std::string render_text(const Picture& picture, const TextOptions& options) {
  const Paint paint(picture, options);
  std::string out;
  std::vector<ScreenBlock> row;
  Index width = 0;
  const auto end_row = [&] {
    add_row(out, row);
    row.clear();
    width = 0;
  };
  for (const Panel& panel : picture.panels) {
    ScreenBlock block = PanelText(panel, options, paint).draw();
    if (!row.empty() && width + 3 + block.width > options.width) end_row();
    width += block.width + (row.empty() ? 0 : 3);
    row.push_back(std::move(block));
  }
  if (!row.empty()) end_row();
  out += legend(picture, options, paint);
  for (const std::string& note : picture.notes) out += note + "\n";
  return out;
}

}  // namespace tessera
