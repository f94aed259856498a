// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/byte_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tessera/notation/layout.h"

namespace tessera::moving {
namespace {

// The bytes of elements at these offsets; empty if they do not fit in 64 bits.
std::optional<ByteRange> bytes_of(Interval offsets, Index element_bytes) {
  ByteRange range;
  if (!offsets.is_finite() || mul_overflows(offsets.lower, element_bytes, range.begin) ||
      mul_overflows(offsets.upper, element_bytes, range.end) ||
      add_overflows(range.end, element_bytes, range.end))
    return std::nullopt;
  return range;
}

}  // namespace

std::optional<ByteRange> byte_range(const Digits& digits, Index element_bytes) {
  return digits.empty_box() ? ByteRange{} : bytes_of(digits.image_bounds(), element_bytes);
}

Failure byte_overflow(std::string_view side) {
  return fail(Code::overflow, fmt::format("the byte offsets of the {} do not fit in 64 bits", side));
}

Result<ByteRange> byte_range(const Layout& layout, Index element_bytes, std::string_view side) {
  if (layout.size() == 0) return ByteRange{};
  const TiledMap* tiled = layout.tiled_map();
  const Result<Interval> offsets =
      tiled != nullptr ? Interval::of_extent(tiled->buffer_elements()) : offset_range(layout);
  if (!offsets) return fail(offsets.error());
  const auto bytes = bytes_of(*offsets, element_bytes);
  if (!bytes) return byte_overflow(side);
  return *bytes;
}

std::optional<ByteRange> byte_range_bound(const Layout& layout, Index element_bytes) {
  if (const Digits* digits = layout.known_digits()) {
    return byte_range(*digits, element_bytes);
  }
  const ComposedLayout* chain = layout.composed();
  if (chain == nullptr) return std::nullopt;
  const StridedLayout& inner = chain->domain();
  Index most = 0;
  for (int k = 0; k < inner.leaves(); ++k) {
    Index reach = 0;
    if (mul_overflows(inner.extent[k] - 1, std::max<Index>(inner.stride[k], 0), reach) ||
        add_overflows(most, reach, most))
      return std::nullopt;
  }
  for (int k = chain->parts - 1; k-- > 0;) {
    const ComposedPart& part = chain->part[k];
    if (part.kind != ComposedPart::Kind::swizzle || add_overflows(most, part.offset, most) || most < 0)
      return std::nullopt;
    // A swizzle writes no bit above its masks and keeps all higher bits.
    most |= part.swizzle.read_mask() | part.swizzle.write_mask();
    most = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(most) + 1) - 1);
  }
  return bytes_of({0, most}, element_bytes);
}

}  // namespace tessera::moving
