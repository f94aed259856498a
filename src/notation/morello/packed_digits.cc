// SPDX-License-Identifier: Apache-2.0
// Packed layouts as digits, and digits as packed layouts.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "notation/from_digits.h"
#include "notation/not_representable.h"
#include "notation/to_digits.h"

namespace tessera {

using detail::not_representable;

Result<Digits> to_digits(const PackedLayout& layout, std::span<const Index> shape) {
  const auto extents = expand(layout, shape);
  if (!extents) return fail(extents.error());
  std::vector<Digit> digits;
  std::vector<Index> covered(shape.size(), 1);
  Index alpha = 1;
  for (std::size_t k = extents->size(); k-- > 0;) {
    const PackedDim& entry = layout.dims()[k];
    const Index extent = (*extents)[k];
    Index& div = covered[static_cast<std::size_t>(entry.dim)];
    if (entry.kind == PackedDim::Kind::odd_even && extent > 1) {
      digits.push_back({entry.dim, div, 2, alpha * (extent / 2)});
      digits.push_back({entry.dim, div * 2, extent / 2, alpha});
    } else {
      digits.push_back({entry.dim, div, extent, alpha});
    }
    alpha *= extent;
    div *= extent;
  }
  return Digits::normalized({shape.begin(), shape.end()}, 0, std::move(digits));
}

Result<PackedLayout> to_packed_layout(const Digits& digits) {
  if (const auto sound = detail::check_dense_candidate(digits, "a packed layout"); !sound)
    return fail(sound.error());
  std::vector<Digit> sorted(digits.digits().begin(), digits.digits().end());
  std::ranges::sort(sorted, {}, &Digit::stride);
  Index filled = 1;
  for (const Digit& d : sorted) {
    if (d.stride != filled) {
      return not_representable("padding",
                               fmt::format("a packed layout has no padding: offset {} is unused", filled),
                               fmt::format("offset {}", filled));
    }
    filled *= d.ext;
  }
  for (std::size_t d = 0; d < digits.box().size(); ++d) {
    if (digits.digit_extent(d) != digits.box()[d]) {
      return not_representable(
          "padding", fmt::format("a packed layout has no padding: dimension {} needs size {} > {}", d,
                                 digits.digit_extent(d), digits.box()[d]));
    }
  }
  std::vector<PackedDim> entries;
  std::vector<Index> last_div(digits.box().size(), kIndexMax);
  for (std::size_t k = sorted.size(); k-- > 0;) {
    const Digit& d = sorted[k];
    PackedDim entry{d.dim, PackedDim::Kind::packed, d.ext};
    Index covered = d.ext;
    const bool strip = d.ext == 2 && k > 0 && sorted[k - 1].dim == d.dim && sorted[k - 1].div == 2 * d.div;
    if (strip) {
      covered = 2 * sorted[k - 1].ext;
      entry = {d.dim, PackedDim::Kind::odd_even, covered};
      --k;
    } else if (d.div * d.ext == digits.box()[static_cast<std::size_t>(d.dim)]) {
      entry = {d.dim, PackedDim::Kind::dynamic, 0};
    }
    Index& above = last_div[static_cast<std::size_t>(d.dim)];
    if (d.div >= above) {
      return not_representable(
          "order", fmt::format("a higher part of dimension {} is faster than a lower part", d.dim));
    }
    above = d.div;
    entries.push_back(entry);
  }
  return PackedLayout::make(std::move(entries));
}

}  // namespace tessera
