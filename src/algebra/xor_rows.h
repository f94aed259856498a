// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elimination over F2: which values are the XOR of given values, and of which ones.
#pragma once

#include <array>
#include <span>

#include "base/check.h"
#include "tessera/base/index.h"

namespace tessera::detail {

/// A value, and what it is the XOR of.
struct XorRow {
  Index value = 0;
  Index added = 0;

  friend XorRow operator^(const XorRow& a, const XorRow& b) { return {a.value ^ b.value, a.added ^ b.added}; }
  friend bool operator<(const XorRow& a, const XorRow& b) { return a.value < b.value; }
};

/// `row` XOR the pivots that make it smallest. No pivot has the leading bit of one before it, so one pass in
/// their order is enough. Every elimination over F2 takes this step.
template <class Row>
Row xor_reduced(std::span<const Row> pivots, Row row) {
  for (const Row& pivot : pivots) {
    if ((row ^ pivot) < row) row = row ^ pivot;
  }
  return row;
}

/// Independent values in echelon form, each with the added values of which it is the XOR. At most 63 values
/// can be added. No allocation.
class XorRows {
 public:
  using Row = XorRow;

  /// Adds a value >= 0. The result is what the rows before leave of it: with the value 0, `added` is a
  /// combination of added values whose XOR is 0.
  Row add(Index value) { return add({value, Index{1} << count_++}); }
  /// Adds a value with a tag of the caller's in place of a bit for it.
  Row add(Row own) {
    const Row row = reduced(own);
    if (row.value != 0) {
      TESSERA_CHECK(rank_ < rows_.size(), "more than 63 independent values");
      rows_[rank_++] = row;
    }
    return row;
  }
  /// reduced({v, 0}) has the value 0 if and only if v is the XOR of the added values in its `added`; only
  /// values that were independent when added are in it.
  Row reduced(Row row) const { return xor_reduced(std::span<const Row>(rows_.data(), rank_), row); }
  /// The number of independent values.
  std::size_t rank() const { return rank_; }

 private:
  std::array<Row, 63> rows_ = {};
  std::size_t rank_ = 0;
  int count_ = 0;
};

}  // namespace tessera::detail
