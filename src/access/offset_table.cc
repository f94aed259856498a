// SPDX-License-Identifier: Apache-2.0
#include "access/offset_table.h"

#include <fmt/format.h>

namespace tessera {

Index offset_at(const Layout& layout, Index index) {
  std::vector<Index> coordinate(layout.rank());
  for (std::size_t d = 0; d < coordinate.size(); ++d) {
    coordinate[d] = index % layout.shape()[d];
    index /= layout.shape()[d];
  }
  return layout.offset(coordinate);
}

Result<std::vector<Index>> offset_table(const Layout& layout, Index most) {
  if (layout.size() > most) {
    return fail(Code::limit,
                fmt::format("a layout of {} indices is too large; the limit is {}", layout.size(), most));
  }
  std::vector<Index> out;
  out.reserve(static_cast<std::size_t>(layout.size()));
  std::vector<Index> coordinate(layout.rank(), 0);
  for (Index i = 0; i < layout.size(); ++i) {
    out.push_back(layout.offset(coordinate));
    for (std::size_t d = 0; d < coordinate.size(); ++d) {
      if (++coordinate[d] < layout.shape()[d]) break;
      coordinate[d] = 0;
    }
  }
  return out;
}

}  // namespace tessera
