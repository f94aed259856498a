// SPDX-License-Identifier: Apache-2.0
/// \file
/// Picture: grids of labeled cells, as data; and its renderings as text for terminals, SVG, PNG, TikZ, HTML
/// and JSON. Renderers know nothing about layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// An sRGB color.
struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// `#e69f00`.
std::string to_string(Rgb color);

/// A color of the perceptual space OKLab in polar form: lightness in [0, 1], chroma >= 0, hue in degrees.
/// Chroma outside sRGB is reduced until it fits; lightness and hue stay.
Rgb from_oklch(double lightness, double chroma, double hue);

/// Distance in OKLab: black to white is 1, and 0.02 is just visible.
double distance(Rgb a, Rgb b);

/// The contrast ratio of WCAG 2, from 1 to 21.
double contrast(Rgb a, Rgb b);

/// Black or white, whichever contrasts more; the contrast is at least 4.5.
Rgb ink_on(Rgb paper);

/// The color with this number in a 256-color terminal: 16 to 231 are a cube, 232 to 255 are grays.
Rgb terminal_color(int number);

/// The number, from 16 to 255, of the nearest terminal color. O(240).
int nearest_terminal_color(Rgb color);

/// Dark text on a light background, or the reverse.
enum class Theme : std::uint8_t { light, dark };

/// The kind and the number of a picture's colors.
struct Scale {
  /// sequential: numbers. categorical: up to kCategories classes. banded: up to kMaxClasses classes.
  enum class Kind : std::uint8_t { none, sequential, categorical, banded };
  Kind kind = Kind::none;
  int steps = 0;  ///< colors 0 .. steps - 1
  friend bool operator==(const Scale&, const Scale&) = default;
};

/// Categorical colors repeat after this many.
inline constexpr int kCategories = 8;

/// Banded colors repeat after this many: the number of shared-memory banks, and of threads in a warp.
inline constexpr int kMaxClasses = 32;

/// The most steps of a sequential scale; more would look alike.
inline constexpr int kMaxSteps = 64;

/// The color of a step. Sequential: equal steps of lightness away from the paper, yellow to blue on light
/// paper, blue to yellow on dark paper. Categorical: the eight colors of Okabe and Ito with gray instead of
/// black, softened toward the paper. Banded: 32 terminal colors, at least 0.055 apart, so that every renderer
/// and every terminal shows 32 different colors; steps i and i + 8 have similar hues.
Rgb color_of(const Scale& scale, int step, Theme theme);

/// The colors of everything except cells.
struct ThemeColors {
  Rgb paper;
  Rgb ink;      ///< titles and labels
  Rgb muted;    ///< names of axes, notes
  Rgb grid;     ///< lines between cells
  Rgb frame;    ///< lines between tiles
  Rgb padding;  ///< background of padding
  Rgb hatch;    ///< stripes of padding
  Rgb mark;     ///< frame of a marked cell
};
/// The colors of a theme.
const ThemeColors& colors_of(Theme theme);

/// One square of a grid.
struct Cell {
  enum class Kind : std::uint8_t {
    element,  ///< an element of the array
    padding,  ///< unused memory
    none,     ///< not drawn
  };
  Kind kind = Kind::element;
  std::string text = {};        ///< the cell's text; at most two lines
  std::string coordinate = {};  ///< `2,3`; for padding, the coordinate outside the shape, if any
  std::string detail = {};      ///< one more line for the tooltip
  std::optional<Index> offset = {};
  int color = -1;       ///< a step of the picture's scale; -1: none
  bool marked = false;  ///< drawn with a frame
  Index link = -1;      ///< cells with the same number correspond; -1: none
  Index first = -1;     ///< the offset of the first element that a word of memory holds; -1: none
  Index count = 0;      ///< how many elements it holds, of which the last may be cut
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// A label over the positions [begin, end) of an axis.
struct AxisLabel {
  Index begin = 0;
  Index end = 1;
  std::string text;
  friend bool operator==(const AxisLabel&, const AxisLabel&) = default;
};

/// The rows or the columns of a grid.
struct Axis {
  std::string name = {};
  /// Levels of labels, outermost first; the last level is next to the cells and has one label per position.
  std::vector<std::vector<AxisLabel>> levels = {};
  /// The weight of the line before each position and after the last position: 0 between cells, 1 between
  /// tiles, 2 between tiles of tiles.
  std::vector<int> cuts = {};
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// The cells of one row of a panel, by column.
struct PanelRow {
  const Cell* cells;
  const Cell& operator[](Index column) const { return cells[column]; }
};

/// One grid. cells.size() == rows * columns, row by row; an axis has one more cut than it has positions.
struct Panel {
  std::string caption = {};
  Index rows = 0;
  Index columns = 0;
  Axis row_axis = {};
  Axis column_axis = {};
  std::vector<Cell> cells = {};
  /// If false, drawings show only the colors, because there are too many cells. Text output ignores it.
  bool draws_text = true;

  /// `panel.row(2)[5]` is the cell in row 2 and column 5.
  PanelRow row(Index row) const { return {cells.data() + row * columns}; }
  friend bool operator==(const Panel&, const Panel&) = default;
};

/// A color and its meaning; step -1 is padding.
struct LegendEntry {
  int color = 0;
  std::string text;
  friend bool operator==(const LegendEntry&, const LegendEntry&) = default;
};

/// Grids side by side, the scale of their colors, and their titles, legends and notes.
struct Picture {
  std::string title = {};
  std::vector<Panel> panels = {};
  Scale scale = {};
  std::string legend_title = {};
  /// Categorical: one entry per color in use. Sequential and banded: first and last step.
  std::vector<LegendEntry> legend = {};
  std::vector<std::string> notes = {};
  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Whether the legend is a strip of all colors between two labels, not one patch per label.
bool has_strip(const Picture& picture);

/// Cells of all panels.
Index cell_count(const Picture& picture);

/// The colors that a terminal can show.
enum class ColorDepth : std::uint8_t { none, ansi256, truecolor };

/// How a picture is drawn with characters.
struct TextOptions {
  bool ascii = false;  ///< `+ - |` instead of box characters
  ColorDepth colors = ColorDepth::none;
  Theme theme = Theme::light;
  Index width = 100;     ///< in columns; panels are side by side if they fit
  bool compact = false;  ///< one space between cells, not two
};

/// A picture for a terminal: lines only between tiles, a dot for padding, a star at marked cells. In 256
/// colors, text contrasts with the colors that the terminal shows. Every line ends with a line break.
/// O(cells).
std::string render_text(const Picture& picture, const TextOptions& options = {});

/// Light, dark, or the preference of the reader's system.
enum class ThemeChoice : std::uint8_t { light, dark, automatic };

/// A stand-alone document; the tooltip of a cell gives its coordinate and offset. O(cells).
std::string render_svg(const Picture& picture, ThemeChoice theme = ThemeChoice::automatic);

/// The drawing of render_svg as PNG, with `scale` pixels per SVG unit, or fewer if the image would exceed
/// 2^26 pixels. Errors: bad_option (built without cairo), limit (out of memory).
Result<std::string> render_png(const Picture& picture, Theme theme = Theme::light, double scale = 2);

/// A LaTeX document of class `standalone`. Any LaTeX with TikZ compiles it.
std::string render_tikz(const Picture& picture, Theme theme = Theme::light);

/// Facts for the page next to a picture: names and values.
using FactRows = std::vector<std::pair<std::string, std::string>>;

/// A self-contained HTML page. The mouse or the arrow keys select a cell of the drawing; the page shows its
/// coordinate and offset, and marks the corresponding cells of other panels.
std::string render_html(const Picture& picture, const FactRows& facts = {},
                        ThemeChoice theme = ThemeChoice::automatic);

/// The picture as data, one JSON object on one line; docs/lookup/show.md lists its keys.
std::string render_json(const Picture& picture);

}  // namespace tessera
