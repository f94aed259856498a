// SPDX-License-Identifier: Apache-2.0
// The memory of one place.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "tessera/reshard/distribution.h"

namespace tessera {
namespace {

// Strides of a box whose fastest dimension is the last (row) or the first, and may be padded to `pitch`.
Result<std::vector<Index>> pitched_strides(const LocalLayout& local, std::span<const Index> shape) {
  const std::size_t rank = shape.size();
  const bool row = local.storage == LocalLayout::Storage::row;
  std::vector<Index> strides(rank, 1);
  Index stride = 1;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t d = row ? rank - 1 - k : k;
    strides[d] = stride;
    Index extent = std::max<Index>(1, shape[d]);
    if (k == 0 && local.pitch) {
      if (*local.pitch < extent) {
        return fail(Code::buffer_too_small,
                    fmt::format("a leading dimension of {} is less than the {} of a local array",
                                *local.pitch, detail::plural(shape[d], row ? "column" : "row")),
                    local.span.value_or(Span{}), fmt::format("use at least {}", shape[d]));
      }
      extent = *local.pitch;
    }
    if (mul_overflows(stride, extent, stride))
      return fail(Code::overflow, "the size of a local array does not fit in 64 bits");
  }
  return strides;
}

}  // namespace

Result<LocalBuffer> LocalBuffer::make(const LocalLayout& local, std::span<const Index> shape,
                                      std::span<const Index> padded_shape) {
  std::vector<Index> allocated(local.padded ? padded_shape.begin() : shape.begin(),
                               local.padded ? padded_shape.end() : shape.end());
  if (local.least_pitch > 0 && !allocated.empty()) allocated[0] = std::max(allocated[0], local.least_pitch);
  LocalBuffer out;
  const bool empty = std::ranges::find(allocated, 0) != allocated.end();
  switch (local.storage) {
    case LocalLayout::Storage::row:
    case LocalLayout::Storage::column: {
      TESSERA_TRY(strides, pitched_strides(local, allocated));
      const bool row = local.storage == LocalLayout::Storage::row;
      out.size_ = empty ? 0 : 1;
      if (!empty && !allocated.empty()) {
        const std::size_t slowest = row ? 0 : allocated.size() - 1;
        const Index extent = allocated.size() == 1 && local.pitch ? *local.pitch : allocated[slowest];
        if (mul_overflows(strides[slowest], extent, out.size_))
          return fail(Code::overflow, "the size of a local array does not fit in 64 bits");
      }
      out.strides_ = std::move(strides);
      return out;
    }
    case LocalLayout::Storage::tiled: {
      const auto& order = local.tiled.minor_to_major;
      const auto largest = std::ranges::max_element(order);
      const std::size_t rank =
          std::max(order.size(), largest == order.end() ? 0 : static_cast<std::size_t>(*largest) + 1);
      if (rank != shape.size()) {
        return fail(Code::rank_mismatch,
                    fmt::format("the local layout has {}, but the array has {}",
                                detail::plural(rank, "dimension"), shape.size()),
                    local.span.value_or(Span{}));
      }
      auto type = TensorType::make(DType::u8, allocated, local.tiled);
      if (!type) {
        Diagnostic error = type.error();
        error.span = local.span.value_or(Span{});
        return fail(std::move(error));
      }
      TESSERA_TRY(tiled, TiledMap::make(*type));
      out.size_ = empty ? 0 : tiled.buffer_elements();
      out.tiled_ = std::move(tiled);
      out.joins_dims_ = !local.tiled.splits.empty();
      for (const std::vector<Index>& tile : local.tiled.tiles)
        out.joins_dims_ = out.joins_dims_ || std::ranges::find(tile, kCombine) != tile.end();
      return out;
    }
    case LocalLayout::Storage::layout:
      break;
  }
  if (!local.layout)
    return fail(Code::missing_layout, "the local layout is missing", local.span.value_or(Span{}));
  // An array without elements has nothing that the layout would place.
  if (empty && local.layout->shape().size() == allocated.size()) {
    out.strides_ = detail::row_major_strides(allocated);
    out.size_ = 0;
    return out;
  }
  if (!std::ranges::equal(local.layout->shape(), allocated)) {
    return fail(Code::different_shape,
                fmt::format("the local layout has shape [{}], but the local array has shape [{}]",
                            fmt::join(local.layout->shape(), ","), fmt::join(allocated, ",")),
                local.span.value_or(Span{}));
  }
  TESSERA_TRY(size, local.layout->buffer_size());
  out.size_ = size;
  out.layout_ = local.layout;
  return out;
}

bool LocalBuffer::is_separable() const {
  if (layout_) return layout_->known_digits() != nullptr;
  return !tiled_ || !joins_dims_;
}

Index LocalBuffer::offset(std::span<const Index> local) const {
  if (tiled_) return tiled_->offset_unchecked(local);
  if (layout_) return layout_->offset(local);
  Index offset = 0;
  for (std::size_t d = 0; d < local.size(); ++d) offset += local[d] * (*strides_)[d];
  return offset;
}

}  // namespace tessera
