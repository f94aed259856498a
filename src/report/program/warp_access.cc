// SPDX-License-Identifier: Apache-2.0
#include "report/program/warp_access.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "map/values/enumerate.h"
#include "tessera/access/coalescing.h"
#include "tessera/hlo/module.h"
#include "tessera/map/simplify.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

constexpr Index kLanes = 32;

WarpAccess unknown_access(std::string reason) { return {.map = {}, .reason = std::move(reason)}; }

// A map from the lane to the index of the operand. The lanes compute adjacent elements of the result's
// memory. If `swept` is a variable, they instead take its first values for the first element.
IndexMap lanes_to_operand(const IndexMap& map, const TensorType& result, std::optional<std::size_t> swept) {
  const auto all = map.variables();
  const Index count = swept ? std::min(kLanes, all[*swept].bounds.upper - all[*swept].bounds.lower + 1)
                            : std::min(kLanes, result.element_count().value_or(0));
  Domain domain({Variable{{0, count - 1}}}, {}, {});
  std::vector<Expr> moved(all.size());
  Expr rest = swept ? Expr::constant(0) : Expr::variable(0);
  for (const Index d : result.minor_to_major()) {
    const auto i = static_cast<std::size_t>(d);
    moved[i] = mod(rest, result.dims[i]);
    rest = floor_div(rest, result.dims[i]);
  }
  for (std::size_t i = map.dim_count(); i < moved.size(); ++i) moved[i] = Expr::constant(all[i].bounds.lower);
  if (swept) moved[*swept] = Expr::variable(0) + all[*swept].bounds.lower;
  for (std::size_t i = 0; i < map.dim_count(); ++i) domain.constrain(moved[i], all[i].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, moved), c.range);
  std::vector<Expr> results;
  for (const Expr e : map.results()) results.push_back(substitute(e, moved));
  return simplify(IndexMap::make_unchecked(std::move(domain), std::move(results)));
}

WarpAccess count_lanes(const IndexMap& lanes, const Layout& layout, Index element_bytes) {
  if (lanes.known_empty()) return {};
  WarpAccess out{.map = to_string(lanes)};
  std::vector<Index> bytes;
  for_each_point(lanes, box_of(lanes.domain()), [&](const WalkedPoint& point) {
    const auto index = point.values();
    bool inside = index.has_value();
    for (std::size_t i = 0; inside && i < index->size(); ++i)
      inside = (*index)[i] >= 0 && (*index)[i] < layout.shape()[i];
    if (inside) bytes.push_back(layout.offset(*index) * element_bytes);
    if (!inside) out.reason = "a lane reads outside the operand";
    return inside;
  });
  const SegmentReport report = count_segments({.bytes = bytes, .width = static_cast<int>(element_bytes)});
  out.sectors = report.sectors;
  out.fewest = report.ideal_sectors;
  return out;
}

}  // namespace

WarpAccess first_warp(const Indexing& indexing, const TensorType& result, const TensorType& operand) {
  if (indexing.exactness == Exactness::unknown) return unknown_access(indexing.reason);
  if (indexing.map.known_empty()) return {};
  if (!indexing.replica.empty()) return unknown_access("the elements are on other devices");
  if (indexing.map.runtime_count() > 0)
    return unknown_access("the address is known only when the program runs");
  if (result.layout != nullptr && !result.layout->is_plain())
    return unknown_access("the result has tiles, so neighboring elements are not computed by one warp");
  if (indexing.map.dim_count() != result.rank()) return unknown_access("the map is not one of the result");
  const auto layout = Layout::make(operand);
  if (!layout) return unknown_access(layout.error().message);
  const Index bits = layout->element_bits().value_or(0);
  if (bits < 8 || bits % 8 != 0) return unknown_access("the elements are not whole bytes");
  if (operand.rank() == 0) return {.sectors = 1, .fewest = 1};
  if (!result.is_static() || result.element_count().value_or(0) == 0) return {};
  WarpAccess best = count_lanes(lanes_to_operand(indexing.map, result, {}), *layout, bits / 8);
  for (std::size_t v = indexing.map.dim_count();
       v < indexing.map.variables().size() && best.known() && best.excess() > 0; ++v) {
    if (indexing.map.variables()[v].bounds.is_point()) continue;
    WarpAccess other = count_lanes(lanes_to_operand(indexing.map, result, v), *layout, bits / 8);
    if (other.known() && other.fewest > 0 && other.sectors * best.fewest < best.sectors * other.fewest)
      best = std::move(other);
  }
  return best;
}

}  // namespace tessera::detail
