// SPDX-License-Identifier: Apache-2.0
#include "python/src/offsets.h"

#include <vector>

#include "tessera/notation/digits.h"

namespace tessera::python {
namespace {

// For every position along a dimension, its contribution to the offset.
std::vector<Index> table_of(const Digits& digits, std::size_t dim) {
  std::vector<Index> table(static_cast<std::size_t>(digits.box()[dim]));
  for (const Digit& digit : digits.digits(dim)) {
    for (std::size_t x = 0; x < table.size(); ++x) {
      table[x] += digit.value(static_cast<Index>(x)) * digit.stride;
    }
  }
  return table;
}

void write_digits(const Digits& digits, std::span<Index> out) {
  const std::size_t rank = digits.box().size();
  if (rank == 0) {
    out[0] = digits.base();
    return;
  }
  std::vector<std::vector<Index>> tables;
  for (std::size_t d = 0; d < rank; ++d) tables.push_back(table_of(digits, d));
  const std::vector<Index>& row = tables.back();
  std::vector<std::size_t> at(rank, 0);
  for (Index* next = out.data(); next != out.data() + out.size();) {
    Index start = digits.base();
    for (std::size_t d = 0; d + 1 < rank; ++d) start += tables[d][at[d]];
    for (const Index step : row) *next++ = start + step;
    for (std::size_t d = rank - 1; d-- > 0;) {
      if (++at[d] < tables[d].size()) break;
      at[d] = 0;
    }
  }
}

}  // namespace

void write_offsets(const Layout& layout, std::span<Index> out) {
  if (out.empty()) return;
  if (const Digits* digits = layout.known_digits()) return write_digits(*digits, out);
  const std::span<const Index> shape = layout.shape();
  std::vector<Index> index(shape.size(), 0);
  for (Index& offset : out) {
    offset = layout.offset(index);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace tessera::python
