// SPDX-License-Identifier: Apache-2.0
#include "access/offset_table.h"

#include <fmt/format.h>

#include "base/index_walk.h"

namespace tessera {

Index offset_at(const Layout& layout, Index index) {
  return layout.offset(detail::index_with_number_first_fastest(layout.shape(), index));
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
    detail::next_index_first_fastest(coordinate, layout.shape());
  }
  return out;
}

}  // namespace tessera
