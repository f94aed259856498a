// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/limits.h"
#include "draw/scene.h"
#include "draw/text_lines.h"
#include "tessera/draw/picture.h"

#if TESSERA_HAVE_CAIRO
#include <cairo/cairo.h>

#include <memory>
#endif

namespace tessera {

#if TESSERA_HAVE_CAIRO
namespace {

constexpr double kLongestSide = 32000;  // cairo stores the pixels per side in 16 bits

struct Free {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

cairo_status_t append(void* to, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

class CairoPainter {
 public:
  CairoPainter(cairo_t* cairo, const Picture& picture, Theme theme)
      : cairo_(cairo), picture_(picture), theme_(theme), colors_(colors_of(theme)) {
    cairo_set_line_cap(cairo_, CAIRO_LINE_CAP_SQUARE);
  }

  void paint(const detail::Scene& scene) {
    color(colors_.paper);
    cairo_paint(cairo_);
    for (const detail::SceneGrid& grid : scene.grids) {
      for (const detail::SceneCell& cell : grid.cells) add(grid, cell);
    }
    for (const detail::SceneLine& line : scene.lines) {
      color(line.weight <= 0 ? colors_.grid : colors_.frame);
      cairo_set_line_width(cairo_, detail::line_width(line.weight));
      cairo_move_to(cairo_, line.x1, line.y1);
      cairo_line_to(cairo_, line.x2, line.y2);
      cairo_stroke(cairo_);
    }
    for (const detail::SceneGrid& grid : scene.grids) {
      for (const detail::SceneCell& cell : grid.cells) {
        if (!cell.cell->marked) continue;
        color(colors_.mark);
        cairo_set_line_width(cairo_, 1.4);
        cairo_rectangle(cairo_, cell.x + 1.5, cell.y + 1.5, grid.width - 3, grid.height - 3);
        cairo_stroke(cairo_);
      }
    }
    for (const detail::SceneSwatch& one : scene.swatches) {
      if (one.color < 0) {
        hatch(one.x, one.y, one.width, one.height);
      } else {
        color(color_of(picture_.scale, one.color, theme_));
        fill(one.x, one.y, one.width, one.height);
      }
    }
    for (const detail::SceneText& one : scene.texts) {
      const bool bold = one.role == detail::Role::title || one.role == detail::Role::caption;
      const bool muted = one.role == detail::Role::axis || one.role == detail::Role::note;
      color(muted ? colors_.muted : colors_.ink);
      text(one.x, one.y, one.font, one.anchor, one.text, bold);
    }
  }

 private:
  void color(Rgb c) { cairo_set_source_rgb(cairo_, c.r / 255.0, c.g / 255.0, c.b / 255.0); }

  void fill(double x, double y, double width, double height) {
    cairo_rectangle(cairo_, x, y, width, height);
    cairo_fill(cairo_);
  }

  void hatch(double x, double y, double width, double height) {
    color(colors_.padding);
    fill(x, y, width, height);
    cairo_save(cairo_);
    cairo_rectangle(cairo_, x, y, width, height);
    cairo_clip(cairo_);
    color(colors_.hatch);
    cairo_set_line_width(cairo_, 1);
    // Stripes on x + y = 6k line up between neighbors.
    for (double sum = std::floor((x + y) / 6) * 6; sum <= x + y + width + height; sum += 6) {
      cairo_move_to(cairo_, sum - y, y);
      cairo_line_to(cairo_, sum - y - height, y + height);
    }
    cairo_stroke(cairo_);
    cairo_restore(cairo_);
  }

  void text(double x, double y, double font, detail::Anchor anchor, const std::string& words, bool bold) {
    // Selecting a font takes longer than drawing text.
    if (font != font_ || bold != bold_) {
      cairo_select_font_face(cairo_, "monospace", CAIRO_FONT_SLANT_NORMAL,
                             bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
      cairo_set_font_size(cairo_, font);
      font_ = font;
      bold_ = bold;
    }
    double shift = 0;
    if (anchor != detail::Anchor::start) {
      cairo_text_extents_t extents;
      cairo_text_extents(cairo_, words.c_str(), &extents);
      shift = anchor == detail::Anchor::middle ? extents.x_advance / 2 : extents.x_advance;
    }
    cairo_move_to(cairo_, x - shift, y);
    cairo_show_text(cairo_, words.c_str());
  }

  void add(const detail::SceneGrid& grid, const detail::SceneCell& place) {
    const Cell& cell = *place.cell;
    Rgb ink = colors_.muted;
    if (cell.kind == Cell::Kind::padding) {
      hatch(place.x, place.y, grid.width, grid.height);
    } else {
      const Rgb paper = cell.color < 0 ? colors_.paper : color_of(picture_.scale, cell.color, theme_);
      ink = cell.color < 0 ? colors_.ink : ink_on(paper);
      color(paper);
      fill(place.x, place.y, grid.width, grid.height);
    }
    if (cell.text.empty() || grid.font == 0) return;
    color(ink);
    const std::vector<std::string_view> lines = lines_of(cell.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text(place.x + grid.width / 2, detail::cell_baseline(grid, place, i, lines.size()), grid.font,
           detail::Anchor::middle, std::string(lines[i]), false);
    }
  }

  cairo_t* cairo_;
  const Picture& picture_;
  Theme theme_;
  const ThemeColors& colors_;
  double font_ = 0;
  bool bold_ = false;
};

}  // namespace

Result<std::string> render_png(const Picture& picture, Theme theme, double scale) {
  const detail::Scene scene = detail::scene_of(picture);
  scale = std::min({scale, std::sqrt(detail::kDrawLimits.pixels / (scene.width * scene.height)),
                    kLongestSide / scene.width, kLongestSide / scene.height});
  const auto side = [&](double length) { return static_cast<int>(std::ceil(length * scale)); };
  const std::unique_ptr<cairo_surface_t, Free> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, side(scene.width), side(scene.height)));
  const std::unique_ptr<cairo_t, Free> cairo(cairo_create(surface.get()));
  cairo_scale(cairo.get(), scale, scale);
  CairoPainter(cairo.get(), picture, theme).paint(scene);
  std::string out;
  cairo_status_t status = cairo_status(cairo.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface.get(), append, &out);
  if (status != CAIRO_STATUS_SUCCESS) {
    return fail(Code::limit,
                fmt::format("cannot make a PNG of {} by {} pixels: {}", side(scene.width), side(scene.height),
                            cairo_status_to_string(status)),
                {}, "write SVG: -o NAME.svg");
  }
  return out;
}

#else

Result<std::string> render_png(const Picture&, Theme, double) {
  return fail(Code::bad_option, "this build cannot write PNG: it has no cairo", {},
              "write SVG, -o NAME.svg, and convert it with rsvg-convert or a browser");
}

#endif

}  // namespace tessera
