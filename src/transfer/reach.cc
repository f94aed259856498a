// SPDX-License-Identifier: Apache-2.0
#include "transfer/reach.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "notation/to_digits.h"
#include "tessera/map/map_algebra.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {

Reach::Reach(const Layout& layout) {
  if (Result<Digits> digits = to_digits(layout)) {
    digits_ = std::move(*digits);
  } else {
    map_ = lower(layout);
  }
}

Interval Reach::offsets(const IndexBox& box) const {
  if (digits_) return offset_range(*digits_, box);
  std::vector<Interval> bounds;
  for (std::size_t i = 0; i < box.lo.size(); ++i) bounds.push_back({box.lo[i], box.hi[i] - 1});
  return range(map_->results()[0], map_->domain().with(bounds, {}));
}

Index Reach::touched_bytes(const IndexBox& box, Index element_bits, Index all_bytes) const {
  if (box.empty()) return 0;
  if (digits_) return std::min(all_bytes, transfer::touched_bytes(*digits_, box, element_bits));
  const Interval range = offsets(box);
  const Index apart = checked_mul(box.size(), 2 * kPageWindow).value_or(kIndexMax);
  Index bits = 0;
  if (sub_overflows(range.upper, range.lower, bits) || mul_overflows(bits, element_bits, bits))
    return std::min(all_bytes, apart);
  const Index together = checked_add(bits / 8 + 1, 2 * kPageWindow).value_or(kIndexMax);
  return std::min({all_bytes, apart, together});
}

}  // namespace tessera::transfer
