// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/outside_box.h"

#include <utility>

namespace tessera::detail {

void remove_box(std::vector<Domain>& parts, std::span<const Index> corner, std::span<const Index> sizes) {
  std::vector<Domain> out;
  for (const Domain& part : parts) {
    Domain inside = part;
    for (std::size_t i = 0; i < corner.size() && !inside.known_empty(); ++i) {
      const Expr place = Expr::variable(static_cast<Index>(i));
      const Index end = corner[i] + sizes[i];
      for (const Interval side : {Interval{kNegInf, corner[i] - 1}, Interval{end, kPosInf}}) {
        Domain outside = inside;
        outside.constrain(place, side);
        if (!outside.known_empty()) out.push_back(std::move(outside));
      }
      inside.constrain(place, {corner[i], end - 1});
    }
  }
  parts = std::move(out);
}

}  // namespace tessera::detail
