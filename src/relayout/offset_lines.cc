// SPDX-License-Identifier: Apache-2.0
#include "relayout/offset_lines.h"

#include <algorithm>
#include <bit>

#include "notation/to_digits.h"

namespace tessera::moving {

OffsetLines::OffsetLines(const Layout& layout, std::size_t dim) : layout_(layout), dim_(dim) {
  if (const Digits* known = layout.known_digits()) digits_ = *known;
  const ComposedLayout* chain = layout.composed();
  if (digits_ || chain == nullptr) return;
  for (int k = chain->parts - 1; k-- > 0;) {
    const ComposedPart& part = chain->part[k];
    if (part.kind != ComposedPart::Kind::swizzle) return;
    swizzles_.push_back({part.offset, part.swizzle.read_mask(), part.swizzle.shift});
  }
  digits_ = to_digits(chain->domain(), layout.shape());
}

void OffsetLines::fill(std::span<Index> index, Index first, std::span<Index> out) const {
  if (layout_.linear() != nullptr && !digits_) return fill_bases(index, first, out);
  if (!digits_) {
    for (Index& offset : out) {
      index[dim_] = first++;
      offset = layout_.offset(index);
    }
    return;
  }
  fill_digits(index, first, out);
  for (const Swizzled& s : swizzles_) {
    if (s.shift >= 0) {
      for (Index& v : out) {
        v += s.offset;
        v ^= (v & s.read) >> s.shift;
      }
    } else {
      for (Index& v : out) {
        v += s.offset;
        v ^= (v & s.read) << -s.shift;
      }
    }
  }
}

// Until the second digit changes, each step adds the stride of the first digit.
void OffsetLines::fill_digits(std::span<Index> index, Index first, std::span<Index> out) const {
  index[dim_] = 0;
  const Index others = digits_->offset(index);
  const auto chain = digits_->digits(dim_);
  const Index stride = chain.empty() ? 0 : chain[0].stride;
  const Index block = chain.size() < 2 ? kIndexMax : chain[1].div;
  std::size_t i = 0;
  while (i < out.size()) {
    const Index x = first + static_cast<Index>(i);
    Index at = others;
    for (const Digit& d : chain) at += d.stride * d.value(x);
    const Index same = std::min(block - x % block, static_cast<Index>(out.size() - i));
    for (Index k = 0; k < same; ++k) out[i++] = at + k * stride;
  }
}

// The step from x to x + 1 flips the lowest set bit of x + 1 and all bits below it.
void OffsetLines::fill_bases(std::span<Index> index, Index first, std::span<Index> out) const {
  const auto& bases = layout_.linear()->bases()[dim_];
  index[dim_] = first;
  Index at = layout_.offset(index);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = at;
    if (i + 1 == out.size()) break;
    const auto next = static_cast<std::uint64_t>(first) + i + 1;
    for (int k = std::countr_zero(next); k >= 0; --k) at ^= bases[static_cast<std::size_t>(k)];
  }
}

}  // namespace tessera::moving
