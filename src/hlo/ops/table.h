// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tables of numbers as expressions: one, or a few, each for a part of the table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tessera/expr/expr.h"
#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The values of a table where all constraints of `where` hold.
struct TablePiece {
  std::vector<Constraint> where = {};
  Expr value;
};

/// A table over a box: the value at (i0, i1, ...) is entry number (i0 - box[0].lower, i1 - box[1].lower, ...)
/// of `values` in row-major order. All intervals are finite.
struct IntegerTable {
  std::vector<Interval> box;
  std::vector<Index> values;
};

/// The value of the table at `at`, one expression for each dimension of the box, in pieces that do not
/// overlap. A table that repeats, or grows steadily, from period to period has one piece: {0, 2, 4, 6} is
/// at * 2 and {0, 0, 5, 5} is at / 2 * 5. The rest is split into runs of values that grow steadily. Empty if
/// that takes more than `limit` pieces. Exact. Cost: linear in the table for each period tried, at most 64
/// for each dimension and those that divide its extent.
std::vector<TablePiece> table_pieces(IntegerTable table, std::vector<Expr> at, std::size_t limit);

}  // namespace tessera::detail
