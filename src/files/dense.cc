// SPDX-License-Identifier: Apache-2.0
#include "files/dense.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "notation/to_digits.h"

namespace tessera {
namespace {

std::vector<Index> dense_strides(std::span<const Index> shape, DenseOrder order) {
  std::vector<Index> strides(shape.size());
  Index step = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t i = order == DenseOrder::fortran ? k : shape.size() - 1 - k;
    strides[i] = step;
    step *= std::max<Index>(shape[i], 1);
  }
  return strides;
}

}  // namespace

Result<Layout> dense_layout(std::optional<DType> dtype, std::span<const Index> shape, DenseOrder order,
                            Index bits) {
  if (!dtype) {
    Index size = 1;
    for (const Index extent : shape) {
      if (extent < 0) return fail(Code::bad_extent, fmt::format("the extent {} is negative", extent));
      if (mul_overflows(size, std::max<Index>(extent, 1), size))
        return fail(Code::overflow, "the size of the array does not fit in 64 bits");
    }
    return Layout::make(
        Strides{.shape = {shape.begin(), shape.end()}, .strides = dense_strides(shape, order)});
  }
  TiledLayout tiled{.minor_to_major = descending_order(shape.size())};
  if (order == DenseOrder::fortran) std::ranges::reverse(tiled.minor_to_major);
  if (bits % 8 != 0) tiled.element_bits = bits;
  Result<TensorType> type = TensorType::make(*dtype, {shape.begin(), shape.end()}, std::move(tiled));
  if (!type) return fail(type.error());
  return Layout::make(std::move(*type));
}

std::optional<DenseOrder> dense_order(const Layout& layout) {
  const Result<Index> cells = layout.buffer_size();
  const Result<Digits> digits = to_digits(layout);
  if (!cells || !digits || *cells != layout.size()) return std::nullopt;
  const std::vector<Index> shape(layout.shape().begin(), layout.shape().end());
  for (const DenseOrder order : {DenseOrder::c, DenseOrder::fortran}) {
    const Result<Digits> dense = to_digits(Strides{.shape = shape, .strides = dense_strides(shape, order)});
    if (dense && *dense == *digits) return order;
  }
  return std::nullopt;
}

}  // namespace tessera
