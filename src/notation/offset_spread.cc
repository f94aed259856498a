// SPDX-License-Identifier: Apache-2.0
#include "notation/offset_spread.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tessera::detail {

bool is_nested(std::span<OffsetSpread> parts) {
  std::ranges::sort(parts, {}, &OffsetSpread::gap);
  Index reach = 0;
  for (const OffsetSpread& part : parts) {
    if (part.gap <= reach || add_overflows(reach, part.span, reach)) return false;
  }
  return true;
}

bool is_nested(const Digits& digits) {
  // Nested digits have at least two values each, and offsets of 63 bits.
  std::array<OffsetSpread, 63> parts;
  std::size_t count = 0;
  for (const Digit& d : digits.digits()) {
    if (count == parts.size() || d.stride == kIndexMin) return false;
    OffsetSpread& part = parts[count++];
    part.gap = std::abs(d.stride);
    if (mul_overflows(part.gap, d.ext - 1, part.span)) return false;
  }
  return is_nested(std::span(parts).first(count));
}

}  // namespace tessera::detail
