// SPDX-License-Identifier: Apache-2.0
#include "tile/listed_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "map/values/enumerate.h"
#include "tile/limits.h"

namespace tessera::detail {
namespace {

// Ascending, different indices as first + step * k, if they are evenly spaced.
std::optional<ConcreteDimension> evenly_spaced(const std::vector<Index>& indices) {
  ConcreteDimension out{.first = indices.front(), .count = std::ssize(indices)};
  if (out.count > 1) out.step = indices[1] - indices[0];
  for (std::size_t k = 1; k < indices.size(); ++k)
    if (indices[k] - indices[k - 1] != out.step) return std::nullopt;
  return out;
}

void sort_distinct(auto& list) {
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
}

}  // namespace

std::optional<SymbolicTile> listed_tile(const IndexMap& map, const Domain& parameters) {
  const std::vector<Interval> box = box_of(map.domain());
  const auto points = point_count(box);
  if (!points || *points > kTileLimits.listed_points || map.runtime_count() > 0) return std::nullopt;
  std::vector<std::vector<Index>> elements;
  const bool total = for_each_point(map, box, [&](const WalkedPoint& point) {
    auto values = point.values();
    if (!values) return false;
    elements.push_back(*std::move(values));
    return true;
  });
  if (!total || elements.empty() || cancelled()) return std::nullopt;
  sort_distinct(elements);
  SymbolicTile out{.parameters = parameters, .dims = {}, .constraint = {}, .edges = {}, .active = {}};
  Index product = 1;
  Index box_elements = 1;
  for (std::size_t r = 0; r < map.results().size(); ++r) {
    std::vector<Index> indices;
    for (const std::vector<Index>& element : elements) indices.push_back(element[r]);
    sort_distinct(indices);
    const Index first = indices.front();
    const Index end = indices.back() + 1;
    const auto even = evenly_spaced(indices);
    out.exact = out.exact && even.has_value();
    if (mul_overflows(product, std::ssize(indices), product) ||
        mul_overflows(box_elements, end - first, box_elements))
      return std::nullopt;
    out.dims.push_back({.offset = Expr::constant(first),
                        .size = Expr::constant(even ? even->count : end - first),
                        .stride = Expr::constant(even && even->count > 1 ? even->step : 1),
                        .lower = Expr::constant(first),
                        .upper = Expr::constant(end)});
  }
  out.exact = out.exact && product == std::ssize(elements);
  if (out.exact) return out;
  for (TileDimension& dim : out.dims) {
    dim.size = Expr::constant(dim.upper.value() - dim.lower.value());
    dim.stride = Expr::constant(1);
  }
  out.reason = fmt::format("{} of these {} elements are read", elements.size(), box_elements);
  return out;
}

}  // namespace tessera::detail
