// SPDX-License-Identifier: Apache-2.0
/// \file
/// A part of a layout as columns of numbers, for programs that draw layouts of any size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/draw/layout_picture.h"

namespace tessera::detail {

/// The cells of a window: row by row, those of every `step`-th row and column. Colors, unlike those of a
/// Picture, do not depend on the window.
struct CellTable {
  Index rows = 0;     ///< of the whole grid
  Index columns = 0;  ///< of the whole grid
  IndexRange row_range = {};
  IndexRange column_range = {};
  Index step = 1;
  Index row_count = 0;     ///< of the table
  Index column_count = 0;  ///< of the table
  int row_dim = -1;        ///< the dimension of the rows; -1: rows continue each other, `columns` apart
  int column_dim = -1;     ///< the dimension of the columns; -1: there is none
  IndexRange memory = {};  ///< the offsets of the memory view
  std::vector<Index> fixed = {};        ///< the index along each other dimension
  std::vector<std::string> kinds = {};  ///< a string for each row: e element, p padding, . no cell
  std::vector<Index> offsets = {};
  std::vector<int> colors = {};               ///< -1: none
  std::vector<std::string> coordinates = {};  ///< of the memory view: the first owner
  std::vector<Index> owners = {};  ///< of the memory view: how many elements have the offset, or kManyOwners
  std::vector<std::string> naturals = {};  ///< the nested coordinates, if they differ from the plain ones
  std::vector<int> row_cuts = {};          ///< weights of the lines before each row, as in Axis
  std::vector<int> column_cuts = {};
  Scale scale = {};
  std::string legend_title = {};
  std::vector<LegendEntry> legend = {};
};

/// Means more than 64 owners of an offset, which were not counted.
inline constexpr Index kManyOwners = -1;

/// The table of a window, which has a range for each dimension as in PictureOptions; of the memory view, and
/// of a 1-D layout, it begins and ends at whole rows. Other dimensions than those of rows and columns keep
/// the first index of their range. Errors: index_out_of_range, value_count, those of offset_range and
/// indices_at; limit (a memory view that needs a search of more than 2^22 elements).
Result<CellTable> cell_table(const Layout& layout, const PictureOptions& options);

}  // namespace tessera::detail
