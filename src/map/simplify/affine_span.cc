// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/affine_span.h"

#include <numeric>

namespace tessera::detail {
namespace {

using Row = AffineSpan::Row;

// Makes the factor of the pivot 0, and divides the row by its greatest common divisor.
bool eliminate(Row& row, const Row& by, std::size_t pivot) {
  if (row[pivot] == 0) return true;
  const Index g = std::gcd(row[pivot], by[pivot]);
  const Index own = by[pivot] / g;
  const Index other = row[pivot] / g;
  Index common = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    Index first = 0;
    Index second = 0;
    if (mul_overflows(row[c], own, first) || mul_overflows(by[c], other, second) ||
        sub_overflows(first, second, row[c]) || row[c] == kIndexMin) {
      return false;
    }
    common = std::gcd(common, row[c]);
  }
  if (common > 1) {
    for (Index& number : row) number /= common;
  }
  return true;
}

}  // namespace

bool AffineSpan::add(Row row) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!eliminate(row, rows_[i], pivots_[i])) return false;
  }
  std::size_t pivot = 0;
  while (pivot < variables_ && row[pivot] == 0) ++pivot;
  if (pivot == variables_) return row[kVariables] == 0;
  rows_[count_] = row;
  pivots_[count_++] = pivot;
  return true;
}

std::optional<Row> AffineSpan::factors() const {
  Row factors{};
  for (std::size_t i = count_; i-- > 0;) {
    const Row& row = rows_[i];
    Index rest = row[kVariables];
    for (std::size_t c = 0; c < variables_; ++c) {
      Index product = 0;
      if (c == pivots_[i]) continue;
      if (mul_overflows(row[c], factors[c], product) || sub_overflows(rest, product, rest))
        return std::nullopt;
    }
    if (rest % row[pivots_[i]] != 0) return std::nullopt;
    factors[pivots_[i]] = rest / row[pivots_[i]];
  }
  return factors;
}

std::vector<Row> AffineSpan::orthogonal() const {
  // Each row keeps only its own pivot: row[pivot] * x_pivot + sum of row[c] * x_c over the free variables c.
  std::array<Row, kVariables> rows = rows_;
  std::array<bool, kVariables> is_pivot{};
  for (std::size_t i = 0; i < count_; ++i) is_pivot[pivots_[i]] = true;
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t k = 0; k < count_; ++k) {
      if (k != i && !eliminate(rows[k], rows[i], pivots_[i])) return {};
    }
  }
  std::vector<Row> vectors;
  for (std::size_t free = 0; free < variables_; ++free) {
    if (is_pivot[free]) continue;
    Index scale = 1;  // the least factor of the free variable for which all others are integers
    for (std::size_t i = 0; i < count_; ++i) {
      const Index own = rows[i][pivots_[i]] / std::gcd(rows[i][pivots_[i]], rows[i][free]);
      if (mul_overflows(scale / std::gcd(scale, own), own < 0 ? -own : own, scale)) return {};
    }
    Row vector{};
    vector[free] = scale;
    for (std::size_t i = 0; i < count_; ++i) {
      Index product = 0;
      if (mul_overflows(rows[i][free], scale, product) || product == kIndexMin) return {};
      vector[pivots_[i]] = -(product / rows[i][pivots_[i]]);
    }
    vectors.push_back(vector);
  }
  return vectors;
}

}  // namespace tessera::detail
