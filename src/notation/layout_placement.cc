// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tessera/notation/axe.h"

namespace tessera {
namespace {

// The digits of all dimensions as digits of the flat index; empty if they cover more than the box.
std::optional<PlacementDigits> whole_digits(const Layout& layout) {
  const Digits* const digits = layout.known_digits();
  if (digits == nullptr) return std::nullopt;
  PlacementDigits out{.offset = {digits->base()}};
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    const auto own = digits->digits(d);
    if (own.empty()) {
      out.index.push_back({layout.shape()[d], {0}});
      continue;
    }
    if (digits->digit_extent(d) != layout.shape()[d]) return std::nullopt;
    for (std::size_t k = own.size(); k-- > 0;) out.index.push_back({own[k].ext, {own[k].stride}});
  }
  return out;
}

}  // namespace

Result<Placement> placement(const Layout& layout) {
  std::vector<Index> shape(layout.shape().begin(), layout.shape().end());
  std::vector<PlacementAxis> axes = {{"m", AxisRole::memory}};
  if (layout.size() == 0) return Placement::make(std::move(shape), std::move(axes), std::vector<IndexMap>{});
  if (auto digits = whole_digits(layout))
    return Placement::make(std::move(shape), std::move(axes), *std::move(digits));
  return Placement::make(std::move(shape), std::move(axes), std::vector<IndexMap>{lower(layout)});
}

}  // namespace tessera
