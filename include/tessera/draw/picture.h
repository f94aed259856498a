// SPDX-License-Identifier: Apache-2.0
/// \file
/// Picture: grids of labeled cells, as data. Renderers turn it into text, SVG and other formats, and know
/// nothing about layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/draw/palette.h"

namespace tessera {

/// One square of a grid.
struct Cell {
  enum class Kind : std::uint8_t {
    element,  ///< an element of the array
    padding,  ///< unused memory
    none,     ///< not drawn
  };
  Kind kind = Kind::element;
  std::string text = {};        ///< the cell's text; at most two lines
  std::string coordinate = {};  ///< `2,3`; of padding the coordinate outside the shape, if any
  std::string detail = {};      ///< one more line for the tooltip
  std::optional<Index> offset = {};
  int color = -1;       ///< a step of the picture's scale; -1: none
  bool marked = false;  ///< drawn with a frame
  Index link = -1;      ///< cells with the same number correspond; -1: none
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
  /// Levels of labels, outermost first; the last one is next to the cells and has one label per position.
  std::vector<std::vector<AxisLabel>> levels = {};
  /// The weight of the line before each position and after the last one: 0 between cells, 1 between tiles, 2
  /// between tiles of tiles.
  std::vector<int> cuts = {};
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// One grid. cells.size() == rows * columns, row by row; an axis has one cut more than positions.
struct Panel {
  std::string caption = {};
  Index rows = 0;
  Index columns = 0;
  Axis row_axis = {};
  Axis column_axis = {};
  std::vector<Cell> cells = {};
  /// If false, drawings show only the colors, because there are too many cells. Text output ignores it.
  bool draws_text = true;

  const Cell& at(Index row, Index column) const {
    return cells[static_cast<std::size_t>(row * columns + column)];
  }
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

/// The number of code points of a UTF-8 text: its width in terminal columns, for the characters that pictures
/// use.
Index text_width(std::string_view text);

/// The lines of a text, at least one.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace tessera
