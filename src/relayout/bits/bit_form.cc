// SPDX-License-Identifier: Apache-2.0
#include "relayout/bits/bit_form.h"

#include <algorithm>

namespace tessera::moving {

Index BitDim::at(Index index) const {
  const Index x = index - origin;
  Index sum = table.empty() ? 0 : table[static_cast<std::size_t>(x % std::ssize(table))];
  for (const BitDigit& digit : digits) {
    const Index value = x / digit.div;
    sum += digit.stride * (digit.ext == 0 ? value : value % digit.ext);
  }
  return sum;
}

bool BitDim::splits_at(Index c) const {
  if (c == 1) return true;
  if (!table.empty() && c % std::ssize(table) != 0) return false;
  return std::ranges::all_of(digits, [c](const BitDigit& digit) {
    if (c <= digit.div) return digit.div % c == 0;
    if (c % digit.div != 0) return false;
    const Index end = digit.div * digit.ext;
    return digit.ext == 0 || (c >= end ? c % end == 0 : end % c == 0);
  });
}

bool BitDim::is_linear(Index from, Index to) const {
  if (!table.empty() && std::ssize(table) > from) return false;
  return std::ranges::all_of(digits, [&](const BitDigit& digit) {
    const Index end = digit.div * digit.ext;
    const bool below = digit.ext != 0 && end <= from;
    const bool above = to != 0 && digit.div >= to;
    const bool covers = digit.div <= from && (digit.ext == 0 || (to != 0 && end >= to));
    return below || above || covers || digit.stride == 0;
  });
}

Index BitPart::at(std::span<const Index> index) const {
  Index sum = base;
  for (std::size_t d = 0; d < dims.size(); ++d) sum += dims[d].at(index[d]);
  return sum;
}

BitPart part_of(const Digits& cells, int first, int width) {
  BitPart part{.first = first, .width = width, .base = cells.base() * width};
  for (std::size_t d = 0; d < cells.box().size(); ++d) {
    BitDim dim;
    const std::span<const Digit> chain = cells.digits(d);
    for (std::size_t i = 0; i < chain.size(); ++i)
      dim.digits.push_back({chain[i].div, i + 1 < chain.size() ? chain[i].ext : 0, chain[i].stride * width});
    part.dims.push_back(std::move(dim));
  }
  return part;
}

}  // namespace tessera::moving
