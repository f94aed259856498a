// SPDX-License-Identifier: Apache-2.0
#include "runner/physical.h"

#include <fmt/core.h>

#include <algorithm>

#include "tessera/hlo/indexing.h"

namespace tessera::vectors {
namespace {

/// Dimensions in memory order, slowest first.
Result<std::vector<Index>> major_to_minor(const TensorType& type) {
  if (type.layout != nullptr && !type.layout->tiles.empty()) {
    return fail({.code = Code::not_representable,
                 .message = "a tiled layout is not just an order of the dimensions",
                 .reason = "tiles"});
  }
  for (std::size_t i = 0; i < type.rank(); ++i) {
    if (type.dims[i] < 0) {
      return fail(Code::undefined_value,
                  fmt::format("dimension {} is unbounded: replace ? with a number", i));
    }
  }
  std::vector<Index> order = type.minor_to_major();
  std::ranges::reverse(order);
  return order;
}

/// Dimensions in the reverse order of `minor_to_major`, slowest first: `f32[10,20,30]{1,0,2}` is
/// `(d0, d1, d2) -> (d2, d0, d1)`.
Result<IndexMap> logical_to_physical(const TensorType& type) {
  auto order = major_to_minor(type);
  if (!order) return fail(order.error());
  std::vector<Expr> results;
  for (const Index dim : *order) results.push_back(Expr::variable(dim));
  return IndexMap::make(Domain::box(type.dims), std::move(results));
}

/// Its inverse; the dimensions have the physical extents.
Result<IndexMap> physical_to_logical(const TensorType& type) {
  auto order = major_to_minor(type);
  if (!order) return fail(order.error());
  std::vector<Index> extents;
  std::vector<Expr> results(type.rank());
  for (std::size_t place = 0; place < order->size(); ++place) {
    const auto dim = static_cast<std::size_t>((*order)[place]);
    extents.push_back(type.dims[dim]);
    results[dim] = Expr::variable(static_cast<Index>(place));
  }
  return IndexMap::make(Domain::box(extents), std::move(results));
}

}  // namespace

Result<IndexMap> to_linear(const TensorType& type) {
  auto order = major_to_minor(type);
  if (!order) return fail(order.error());
  std::vector<Index> strides(type.rank());
  Index stride = 1;
  const bool empty = std::ranges::find(type.dims, 0) != type.dims.end();
  for (auto dim = order->rbegin(); dim != order->rend(); ++dim) {
    strides[static_cast<std::size_t>(*dim)] = stride;
    if (!empty && mul_overflows(stride, type.dims[static_cast<std::size_t>(*dim)], stride)) {
      return fail(Code::overflow, "the number of elements does not fit in 64 bits");
    }
  }
  Expr offset;
  for (const Index dim : *order)
    offset = offset + Expr::variable(dim) * strides[static_cast<std::size_t>(dim)];
  return IndexMap::make(Domain::box(type.dims), {offset});
}

Result<IndexingSet> in_physical_form(const IndexingSet& logical, const TensorType& from,
                                     const TensorType& to) {
  auto start = physical_to_logical(from);
  if (!start) return fail(start.error());
  auto end = logical_to_physical(to);
  if (!end) return fail(end.error());
  IndexingSet out;
  for (const Indexing& x : logical) {
    insert(out, compose(compose(Indexing{.map = *start}, x), Indexing{.map = *end}));
  }
  return out;
}

}  // namespace tessera::vectors
