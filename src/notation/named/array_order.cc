// SPDX-License-Identifier: Apache-2.0
#include "notation/named/array_order.h"

#include <utility>

namespace tessera::detail {

std::vector<Region>& OrderWriter::regions() {
  if (order_.regions.empty()) order_.regions.push_back({.first = 0, .width = width()});
  return order_.regions;
}

void OrderWriter::steps(std::size_t dim, std::span<const Step> low, CellCount rest) {
  Region& region = regions().back();
  CellCount div = 1;
  const auto add = [&](Index ext, CellCount stride) {
    too_large_ = too_large_ || !div.fits() || !stride.fits();
    region.digits.push_back({static_cast<Index>(dim), div.value(), ext, stride.value()});
  };
  for (const Step& step : low) {
    if (step.ext > 1) add(step.ext, step.stride);
    div = div * step.ext;
  }
  const Index covered =
      region.merge != 0 && dim == 0
          ? ceil_of(CellCount(region.merge) * extent(0), div).value()
          : ceil_of(dim < rank() ? CellCount(extent(dim)) : CellCount(width()), div).value();
  if (covered > 1) add(covered, rest);
}

void OrderWriter::add_base(CellCount base) {
  too_large_ = too_large_ || !base.fits();
  regions().back().base = base.value();
}

void OrderWriter::plane(int width) {
  if (planned_ > 0) order_.kind = NamedKind::planes;
  order_.regions.push_back({.first = planned_, .width = width});
  planned_ += width;
}

void OrderWriter::stream() {
  order_.kind = NamedKind::stream;
  order_.regions.push_back({.first = 0, .width = 1});
}

void OrderWriter::buffer(const CellType& type, std::initializer_list<CellCount> shape) {
  order_.container = type;
  order_.bits = type.bits;
  for (const CellCount extent : shape) {
    order_.bits = order_.bits * extent;
    order_.container_shape.push_back(extent.value());
  }
}

void OrderWriter::words(int bits, std::initializer_list<CellCount> shape) {
  buffer(bits == 8 ? unsigned_type(8)
                   : *parse_cell_type(bits == 16   ? "s16"
                                      : bits == 32 ? "s32"
                                                   : "s64"),
         shape);
}

void OrderWriter::flat(CellCount bits) {
  order_.container = unsigned_type(8);
  order_.bits = bits;
  order_.flat = true;
}

ArrayOrder OrderWriter::take() {
  if (too_large_) order_.bits = kIndexMax;
  return std::move(order_);
}

}  // namespace tessera::detail
