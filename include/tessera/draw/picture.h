// SPDX-License-Identifier: Apache-2.0
/// \file
/// Picture: grids of cells with their labels, as data. Renderers turn it into text, SVG and the rest; they
/// compute nothing about layouts.
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
    element,  ///< an element of the array lies here
    padding,  ///< memory that holds no element
    none,     ///< nothing is here; not drawn
  };
  Kind kind = Kind::element;
  std::string text = {};        ///< what the cell shows; two lines at most
  std::string coordinate = {};  ///< `2,3`; of padding the coordinate beyond the shape, where it has one
  std::string detail = {};      ///< one more line for those who point at the cell
  std::optional<Index> offset = {};
  int color = -1;       ///< a step of the picture's scale; -1: the paper's colour
  bool marked = false;  ///< drawn with a frame of its own
  Index link = -1;      ///< cells with the same number belong together; -1: to no other
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
  /// Rows of labels, the outermost first; the last stands beside the cells and has one label a position.
  std::vector<std::vector<AxisLabel>> levels = {};
  /// The weight of the line in front of each position and behind the last: 0 a cell ends, 1 a tile, 2 a tile
  /// of tiles.
  std::vector<int> cuts = {};
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// One grid. cells.size() == rows * columns, row by row; axis cuts have one entry more than there are rows,
/// columns.
struct Panel {
  std::string caption = {};
  Index rows = 0;
  Index columns = 0;
  Axis row_axis = {};
  Axis column_axis = {};
  std::vector<Cell> cells = {};
  /// False: there are so many cells that a drawing shows their colours alone. Text shows it all the same.
  bool draws_text = true;

  const Cell& at(Index row, Index column) const {
    return cells[static_cast<std::size_t>(row * columns + column)];
  }
  friend bool operator==(const Panel&, const Panel&) = default;
};

/// A colour and what it means; step -1 is padding.
struct LegendEntry {
  int color = 0;
  std::string text;
  friend bool operator==(const LegendEntry&, const LegendEntry&) = default;
};

/// Grids side by side, the scale their colours count on, and words.
struct Picture {
  std::string title = {};
  std::vector<Panel> panels = {};
  Scale scale = {};
  std::string legend_title = {};
  /// Categorical: one entry a colour in use. Sequential: first and last step.
  std::vector<LegendEntry> legend = {};
  std::vector<std::string> notes = {};
  friend bool operator==(const Picture&, const Picture&) = default;
};

/// The legend is a strip of all colours between two words, instead of one patch a word.
bool has_strip(const Picture& picture);

/// Cells of all panels.
Index cell_count(const Picture& picture);

/// Code points of a UTF-8 text: as many columns as it takes in a terminal, for the characters pictures use.
Index text_width(std::string_view text);

/// The lines of a text, at least one.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace tessera
