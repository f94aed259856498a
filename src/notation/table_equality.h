// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares a layout with a table of numbers that another program made.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/notation/layout.h"

namespace tessera {

/// An index where a layout and a table differ, and the offset of each. The table may lack the element.
struct TableDifference {
  std::vector<Index> index;
  Index offset = 0;
  std::optional<Index> in_table;
};

/// Whether a table has the offset of each index, row-major: the smallest index that differs. Errors:
/// value_count (another number of entries), not_representable, limit (more than kTableLimit indices).
Result<std::optional<TableDifference>> compare_offsets(const Layout& layout, std::span<const Index> table);

/// Whether entry o of a table is the row-major number of the element at offset o, negative where there is
/// none. `first` is subtracted from each entry. An element may occur once; of several entries, one that
/// differs from the layout's offset is reported. Errors: value_count (the table is not as long as the
/// buffer), index_out_of_range (a number that no element has), limit, and those of buffer_size.
Result<std::optional<TableDifference>> compare_gather(const Layout& layout, std::span<const Index> table,
                                                      Index first = 0);

}  // namespace tessera
