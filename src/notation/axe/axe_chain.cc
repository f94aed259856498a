// SPDX-License-Identifier: Apache-2.0
#include "notation/axe/axe_chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "notation/not_representable.h"

namespace tessera {

std::vector<AxeIterator> detail::joined(std::span<const AxeIterator> iterators) {
  std::vector<AxeIterator> out;
  for (const AxeIterator& iterator : iterators) {
    if (iterator.extent == 1) continue;
    Index counted = 0;
    if (!out.empty() && out.back().axis == iterator.axis &&
        !mul_overflows(iterator.extent, iterator.stride, counted) && out.back().stride == counted) {
      out.back() = {out.back().extent * iterator.extent, iterator.stride, iterator.axis};
    } else {
      out.push_back(iterator);
    }
  }
  return out;
}

std::optional<std::vector<std::vector<AxeIterator>>> detail::split_at_dims(
    std::span<const AxeIterator> iterators, std::span<const Index> shape) {
  std::vector<std::vector<AxeIterator>> out(shape.size());
  std::size_t dim = shape.size();
  Index rest = 1;  // of the dimension that is being filled, above the iterators so far
  for (std::size_t k = iterators.size(); k-- > 0;) {
    Index extent = iterators[k].extent;
    Index stride = iterators[k].stride;
    while (extent > 1) {
      while (rest == 1) {
        if (dim == 0) return std::nullopt;
        rest = shape[--dim];
      }
      const Index part = std::min(extent, rest);
      if (extent % part != 0 || rest % part != 0) return std::nullopt;
      out[dim].insert(out[dim].begin(), {part, stride, iterators[k].axis});
      extent /= part;
      rest /= part;
      // Beyond the last digit the stride is not used.
      if (extent > 1) stride *= part;
    }
  }
  return out;
}

Failure detail::crossing(std::string_view which) {
  return not_representable(
      "entangled", fmt::format("an iterator of the {} layout crosses the border of a dimension that does "
                               "not divide it",
                               which));
}

}  // namespace tessera
