// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elimination over F2: which values are the XOR of given values, and of which ones.
#pragma once

#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Independent values in echelon form, each with the added values of which it is the XOR. At most 63 values
/// can be added.
class XorRows {
 public:
  struct Row {
    Index value = 0;
    Index added = 0;  ///< bit n: whether the n-th added value is in the XOR
  };

  /// Adds a value >= 0. The result is what the rows before leave of it: with the value 0, `added` is a
  /// combination of added values whose XOR is 0.
  Row add(Index value) {
    const Row row = reduced({value, Index{1} << count_++});
    if (row.value != 0) rows_.push_back(row);
    return row;
  }
  /// `row` XOR the rows that make its value smallest. reduced({v, 0}) has the value 0 if and only if v is the
  /// XOR of the added values in its `added`; only values that were independent when added are in it.
  Row reduced(Row row) const {
    // No row has the leading bit of a row before it, so one pass in the order of addition is enough.
    for (const Row& pivot : rows_) {
      if ((row.value ^ pivot.value) < row.value) row = {row.value ^ pivot.value, row.added ^ pivot.added};
    }
    return row;
  }
  /// The number of independent values.
  std::size_t rank() const { return rows_.size(); }

 private:
  std::vector<Row> rows_;
  int count_ = 0;
};

}  // namespace tessera::detail
